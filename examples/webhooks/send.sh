#!/bin/sh
# WEBHOOK_SECRET=whsec_... sh send.sh URL BODY_FILE: signs a body as the service does and posts it, to try a receiver out.
set -eu
[ -n "${WEBHOOK_SECRET-}" ] || { echo 'Set WEBHOOK_SECRET to the whsec_... that sonant webhooks rotate shows.' >&2; exit 2; }
url=$1 body=$2 id=msg_try timestamp=$(date +%s)
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
mac=$({ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
curl -sS -o /dev/null -w '%{http_code}\n' -X POST "$url" -H 'content-type: application/json' -H "webhook-id: $id" \
  -H "webhook-timestamp: $timestamp" -H "webhook-signature: v1,$mac" --data-binary "@$body"
