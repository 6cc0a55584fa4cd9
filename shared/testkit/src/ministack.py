# Runs ministack for tests, on 127.0.0.1 alone (by itself it listens on every interface).
#
# - It prints its port, ends with its standard input, and leaves no files behind.
# - Functions get the endpoint from its environment.
# - The messages of a function that died come back at once. So queues can keep visibility timeouts that are longer than
#   any invocation, as on AWS, and a slow machine isn't taken for a dead process.
# - It polls queues ten times a second instead of once, and retries a failed invocation after 0.1 s instead of 1 s.
# - Where rights are enforced, the tags of a session replace their variables in policies.
# - `POST /_test/elapse?QUEUE&SECONDS` lets time pass for the messages of a queue, so that no test waits for it.
import asyncio, dataclasses, os, re, shutil, socket, sys, tempfile, threading
tempfile.tempdir = tempfile.mkdtemp(prefix="ministack-")
def end():
    shutil.rmtree(tempfile.tempdir, ignore_errors=True)
    os._exit(0)
sock = socket.socket()
sock.bind(("127.0.0.1", 0))
sock.listen(128)
port = sock.getsockname()[1]
os.environ["GATEWAY_PORT"] = str(port)
os.environ["AWS_ENDPOINT_URL"] = os.environ.pop("FUNCTIONS_ENDPOINT", f"http://127.0.0.1:{port}")
print(port, flush=True)
from hypercorn.asyncio import serve
from hypercorn.config import Config
from ministack.app import app
from ministack.services import lambda_svc, sqs
from ministack.core import iam_evaluator

first_match = iam_evaluator._first_match
def with_variables(ctx, statements, effect):
    def filled(value):
        if isinstance(value, str):
            for key, tag in ctx.principal_keys.items():
                if key.startswith("aws:principaltag/"):
                    name = re.escape("aws:PrincipalTag/" + key.split("/", 1)[1])
                    value = re.sub(r"\$\{" + name + r"\}", lambda _: tag, value, flags=re.IGNORECASE)
            return value
        if isinstance(value, list):
            return [filled(one) for one in value]
        if isinstance(value, dict):
            return {key: filled(one) for key, one in value.items()}
        return value
    fill = lambda one: dataclasses.replace(one, resources=filled(one.resources), conditions=filled(one.conditions))
    return first_match(ctx, [fill(one) for one in statements], effect)
iam_evaluator._first_match = with_variables

last = threading.local()
execute, run_batch = lambda_svc._execute_function, lambda_svc._run_sqs_batch
def execute_and_note(*call):
    result = execute(*call)
    last.failed = bool(result.get("error"))
    return result
def run_and_return(esm, function, event, batch, *queue):
    run_batch(esm, function, event, batch, *queue)
    if last.failed:
        with sqs._queues_lock:
            for message in batch:
                message["visible_at"] = 0
lambda_svc._ESM_BACKOFF_SECONDS = 0.1
wait = lambda_svc._esm_wake.wait
lambda_svc._esm_wake.wait = lambda seconds: wait(min(seconds, 0.1))
lambda_svc._execute_function = execute_and_note
lambda_svc._run_sqs_batch = run_and_return

async def front(scope, receive, send):
    if scope["type"] != "http" or scope["path"] != "/_test/elapse":
        return await app(scope, receive, send)
    name, seconds = scope["query_string"].decode().split("&")
    with sqs._queues_lock:
        for _, queue in sqs._queues.all_items():
            if queue["attributes"]["QueueArn"].endswith(":" + name):
                for message in queue["messages"]:
                    message["visible_at"] -= float(seconds)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})

async def main():
    over, loop = asyncio.Event(), asyncio.get_running_loop()
    def watch():
        sys.stdin.buffer.read()
        loop.call_soon_threadsafe(over.set)
        threading.Timer(3, end).start()
    threading.Thread(target=watch, daemon=True).start()
    config = Config()
    config.bind = [f"fd://{sock.detach()}"]
    config.keep_alive_timeout = 75
    config.loglevel = "ERROR"
    config.graceful_timeout = 0.1
    await serve(front, config, shutdown_trigger=over.wait)

asyncio.run(main())
end()
