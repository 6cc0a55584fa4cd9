# Writes an archive whose bootstrap is a script that runs an executable.
import io, shlex, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    entry = zipfile.ZipInfo("bootstrap")
    entry.external_attr = 0o755 << 16
    archive.writestr(entry, '#!/bin/sh\nexec ' + shlex.quote(sys.argv[1]) + '\n')
sys.stdout.buffer.write(out.getvalue())
