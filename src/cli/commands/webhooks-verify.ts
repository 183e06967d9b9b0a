import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { invalidRequest } from '../../errors/service-error.ts'
import type { Verification } from '../../webhooks/signing/verify-delivery.ts'
import { time } from '../options.ts'
import { type Answer, answer } from '../run-command.ts'

interface VerifyOptions {
  readonly secret?: string
  readonly secretFile?: string
  readonly at?: string
  readonly json?: boolean
}

export function addVerifyCommand(webhooks: Command): void {
  const verify = webhooks
    .command('verify')
    .description('check a captured delivery (headers, an empty line, the raw body) against a secret')
    .argument('<file>', 'the capture')
    .option('--secret <secret>', 'whsec_…')
    .option('--secret-file <file>', 'a file that holds it')
    .option('--at <time>', 'as of this RFC 3339 time instead of now')
    .option('--json', 'print JSON and nothing else')
  verify.action(async (file: string) => {
    const options = verify.opts<VerifyOptions>()
    await answer({ json: options.json }, async () => {
      const { readCapture, verifyDelivery } = await import('../../webhooks/signing/verify-delivery.ts')
      const secret = await readSecret(options)
      const at = options.at === undefined ? new Date() : time('--at', options.at)
      return describe(verifyDelivery(readCapture(await read(file)), secret, at))
    })
  })
}

async function readSecret({ secret, secretFile }: VerifyOptions): Promise<Buffer> {
  if (secret !== undefined && secretFile !== undefined)
    throw invalidRequest('Set either --secret or --secret-file, not both.')
  const given = (secretFile === undefined ? secret : (await read(secretFile)).toString())?.trim()
  if (!given) throw missing(given === undefined ? '' : `: ${secretFile ?? '--secret'} is empty`)
  const { readWebhookSecret } = await import('../../webhooks/signing/webhook-secret.ts')
  const bytes = readWebhookSecret(given)
  const source = secretFile === undefined ? '--secret' : `the secret in ${secretFile}`
  if (bytes === null) throw invalidRequest(`Check ${source}: a webhook secret is whsec_ and base64 of 24 to 64 bytes.`)
  return bytes
}

const missing = (why: string) => invalidRequest(`Give the secret as --secret whsec_… or --secret-file FILE${why}.`)

function describe({ valid, problems, id, ageSeconds }: Verification): Answer {
  if (!valid) process.exitCode = 1
  return {
    json: { valid, problems, webhook_id: id, age_seconds: ageSeconds },
    text: valid ? `${id} is genuine and ${age(ageSeconds ?? 0)}` : problems.join('\n'),
  }
}

const age = (seconds: number): string => (seconds < 0 ? `${-seconds} s ahead of the clock here` : `${seconds} s old`)

const read = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`Give a file that can be read: ${file} (${error.code}).`)
  })
