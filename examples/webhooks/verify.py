"""WEBHOOK_SECRET=whsec_... python3 verify.py ID TIMESTAMP SIGNATURES < raw-body: exits with 0 where it is genuine."""
import base64
import hashlib
import hmac
import os
import sys
import time


def is_genuine(secret: str, msg_id: str, timestamp: str, signatures: str, raw_body: bytes) -> bool:
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{msg_id}.{timestamp}.".encode() + raw_body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(mac).decode()
    return any(hmac.compare_digest(expected, value) for value in signatures.split(" "))


if __name__ == "__main__":
    genuine = is_genuine(os.environ["WEBHOOK_SECRET"], *sys.argv[1:4], sys.stdin.buffer.read())
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
