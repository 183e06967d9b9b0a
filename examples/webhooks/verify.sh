#!/bin/sh
# WEBHOOK_SECRET=whsec_... sh verify.sh ID TIMESTAMP SIGNATURES BODY_FILE: exits with 0 where it is genuine.
set -eu
[ -n "${WEBHOOK_SECRET-}" ] || { echo 'Set WEBHOOK_SECRET to the whsec_... that sonant webhooks rotate shows.' >&2; exit 2; }
id=$1 timestamp=$2 signatures=$3 body=$4
# Nothing that came with the request may reach the shell's arithmetic or its patterns unchecked.
case $timestamp in 0* | *[!0123456789]* | '' | ????????????*) echo 'not a timestamp'; exit 1 ;; esac
age=$(($(date +%s) - timestamp))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || { echo 'too old or too new'; exit 1; }
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
mac=$({ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
set -f
for value in $signatures; do
  [ "$value" = "v1,$mac" ] && { echo genuine; exit 0; }
done
echo 'not genuine'
exit 1
