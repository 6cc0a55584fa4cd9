# What transcripts use besides `alfred`. Failures of any part of a pipe count.
set -o pipefail

# write FILE TEXT: the text with its \n and \r.
write() { mkdir -p "$(dirname "$1")" && printf '%b' "$2" > "$1"; }

# The option that trusts exactly this program file and the workers it may call.
trust() { alfred worker check --json "$1" | sed -nE 's/.*"digest": ?"([^"]*)".*/--trust \1/p'; }

# puppet COMMAND: with a model that obeys, as puppet.rs describes.
puppet() { ALFRED_MODEL=puppet:one ALFRED_MODEL_URL=$PUPPET PUPPET_API_KEY=pk-1 "$@"; }

python() { HOME=$REAL_HOME python3 "$@"; }

# tty COMMAND: on a terminal.
tty() {
  python -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@" | sed 's/\r$//'
}

# unread COMMAND: nobody reads its output any more.
unread() {
  python -c 'import os, subprocess, sys; r, w = os.pipe(); os.close(r); sys.exit(subprocess.call(sys.argv[1:], stdout=w))' "$@"
}

# Without numbers: the time, durations, dates.
timeless() { sed -E 's/trace [0-9a-f]{32}/trace ID/; s/\b[0-9]+/0/g; s/ +/ /g; s/[A-Z][a-z]+day, 0 [A-Z][a-z]+ 0/DAY/'; }
