// WEBHOOK_SECRET=whsec_... node verify.ts ID TIMESTAMP SIGNATURES < raw-body: exits with 0 where it is genuine.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'

export function isGenuine(
  secret: string,
  id: string,
  timestamp: string,
  signatures: string,
  body: Uint8Array,
): boolean {
  if (!/^[1-9][0-9]{0,10}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${mac}`)
  return signatures.split(' ').some((value) => {
    const given = Buffer.from(value)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const secret = process.env.WEBHOOK_SECRET
  if (!secret) {
    console.error('Set WEBHOOK_SECRET to the whsec_... that sonant webhooks rotate shows.')
    process.exit(2)
  }
  const [id = '', timestamp = '', signatures = ''] = process.argv.slice(2)
  const genuine = isGenuine(secret, id, timestamp, signatures, readFileSync(0))
  console.log(genuine ? 'genuine' : 'not genuine')
  process.exit(genuine ? 0 : 1)
}
