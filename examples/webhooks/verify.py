"""WEBHOOK_SECRET=whsec_... python3 verify.py ID TIMESTAMP SIGNATURES < raw-body: exits with 0 where it is genuine."""
import base64
import hashlib
import hmac
import os
import re
import sys
import time


def is_genuine(secret: str, msg_id: str, timestamp: str, signatures: str, raw_body: bytes) -> bool:
    if not re.fullmatch("[1-9][0-9]{0,10}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, os.fsencode(f"{msg_id}.{timestamp}.") + raw_body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    # As bytes: compare_digest takes no text beyond ASCII, and a header may hold anything.
    return any(hmac.compare_digest(expected, os.fsencode(value)) for value in signatures.split(" "))


if __name__ == "__main__":
    webhook_secret = os.environ.get("WEBHOOK_SECRET")
    if not webhook_secret:
        print("Set WEBHOOK_SECRET to the whsec_... that sonant webhooks rotate shows.", file=sys.stderr)
        sys.exit(2)
    genuine = is_genuine(webhook_secret, *sys.argv[1:4], sys.stdin.buffer.read())
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
