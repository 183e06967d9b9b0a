import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newWebhookSecret } from '../../../src/accounts/create-account.ts'
import { signDelivery, writeWebhookSecret } from '../../../src/webhooks/signing.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run } from '../../setup/processes/process.ts'

const AT = '2026-01-31T09:05:00'

afterAll(cleanUp)

test.each([
  ['in UTC where it names no zone, whatever the machine is set to', AT, { TZ: 'America/New_York' }],
  ['in the zone that it names', '2026-01-31T04:05:00-05:00', {}],
])('sonant webhooks verify reads --at %s', async (_how, at, env) => {
  const secret = newWebhookSecret()
  const timestamp = String(Date.parse(`${AT}Z`) / 1000 - 60)
  const body = Buffer.from('{"job_id":"job_x"}')
  const headers = `webhook-id: msg_x\nwebhook-timestamp: ${timestamp}`
  const signature = `webhook-signature: ${signDelivery([secret], 'msg_x', timestamp, body)}`
  const capture = join(await makeTempDir(), 'capture')
  await writeFile(capture, `${headers}\n${signature}\n\n${body}`)
  const args = ['webhooks', 'verify', capture, '--secret', writeWebhookSecret(secret), '--at', at, '--json']
  const { stdout } = await run(args, env)
  expect(JSON.parse(stdout)).toEqual({ valid: true, problems: [], webhook_id: 'msg_x', age_seconds: 60 })
})

test.each([
  ['a missing secret', [], 'Give the secret as --secret whsec_… or --secret-file FILE.'],
  [
    'a malformed one',
    ['--secret', 'whsec_short'],
    'Check --secret: a webhook secret is whsec_ and base64 of 24 to 64 bytes.',
  ],
  ['two', ['--secret', 'whsec_x', '--secret-file', 'x'], 'Set either --secret or --secret-file, not both.'],
  [
    'one that a variable lacks',
    ['--secret', ' '],
    'Give the secret as --secret whsec_… or --secret-file FILE: --secret is empty.',
  ],
  [
    'an empty file',
    ['--secret-file', '/dev/null'],
    'Give the secret as --secret whsec_… or --secret-file FILE: /dev/null is empty.',
  ],
  [
    'a file without one',
    ['--secret-file', 'package.json'],
    'Check the secret in package.json: a webhook secret is whsec_',
  ],
])('sonant webhooks verify tells %s from the others', async (_what, options, message) => {
  const capture = join(await makeTempDir(), 'capture')
  await writeFile(capture, 'webhook-id: msg_x\n\n{}')
  const { code, stdout, stderr } = await runHere(['webhooks', 'verify', capture, ...options], {})
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.startsWith(message)).toBe(true)
})
