import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../../src/accounts/create-account.ts'
import { signDelivery, writeWebhookSecret } from '../../../src/webhooks/signing.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples/webhooks/', import.meta.url))
const PAGE = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
const directory = mkdtempSync(join(tmpdir(), 'sonant-examples-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const there = (tool: string) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status === 0
const [secret, old, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
const body = Buffer.from('{"job_id":"job_1","status":"completed","note":"é  \\n"}')
const bodyFile = join(directory, 'body.json')
writeFileSync(bodyFile, body)

interface Case {
  readonly title: string
  readonly genuine: boolean
  readonly age?: number
  readonly signing?: readonly Buffer[]
  readonly sent?: Buffer
}

const CASES: readonly Case[] = [
  { title: 'a genuine delivery', genuine: true },
  { title: 'two signatures, the second of which is ours', genuine: true, signing: [other, secret] },
  { title: 'another secret', genuine: false, signing: [other, old] },
  { title: 'a changed body', genuine: false, sent: Buffer.from(body.toString().replace('completed', 'failed')) },
  { title: 'a timestamp that is too old', genuine: false, age: 400 },
  { title: 'a timestamp that is ahead', genuine: false, age: -400 },
]

/** Made only where a header was run as a command. */
const TRACE = join(directory, 'trace')
const now = () => String(Math.floor(Date.now() / 1000))
const HOSTILE = [
  { title: 'a command in the timestamp', headers: ['msg_1', `age[$(touch ${TRACE})]`, 'v1,x'] },
  { title: 'a timestamp in other digits', headers: ['msg_1', '\u0661\u0667\u06F0\u0660', 'v1,x'] },
  { title: 'a superscript timestamp', headers: ['msg_1', '\u00B2', 'v1,x'] },
  { title: 'an endless timestamp', headers: ['msg_1', '9'.repeat(5000), 'v1,x'] },
  { title: 'an octal timestamp', headers: ['msg_1', '09', 'v1,x'] },
  { title: 'no timestamp', headers: ['msg_1', '', 'v1,x'] },
  { title: 'signatures beyond ASCII', headers: ['msg_1', now(), 'v1,\u00E9 v1,\u4E2D'] },
  { title: 'patterns for signatures', headers: ['msg_1', now(), '/* * v1,*'] },
] as const

function headersOf({ age = 0, signing = [secret] }: Case): [id: string, timestamp: string, signatures: string] {
  const timestamp = String(Math.floor(Date.now() / 1000) - age)
  return ['msg_1', timestamp, signDelivery(signing, 'msg_1', timestamp, body)]
}

const run = (command: string, args: readonly string[], input?: Buffer): Promise<{ code: number; stdout: string }> =>
  new Promise((resolve) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const env = { PATH, NODE_COMPILE_CACHE, WEBHOOK_SECRET: writeWebhookSecret(secret) }
    const child = execFile(command, args, { env, cwd: EXAMPLES, timeout: 60_000 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code) || 1, stdout }),
    )
    child.stdin?.end(input)
  })

describe('examples/webhooks', () => {
  test.each(['receive.mjs', 'verify.ts', 'verify.py', 'verify.sh', 'send.sh'])(
    'the page on webhooks leads to %s',
    (name) => {
      expect(PAGE).toContain(`examples/webhooks/${name}`)
    },
  )

  test.each([
    ['receive.mjs', process.execPath],
    ['verify.ts', process.execPath],
    ['verify.py', 'python3'],
    ['verify.sh', 'sh'],
    ['send.sh', 'sh'],
  ])('%s says in a line that the secret is missing, and ends with 2', (name, program) => {
    if (program === 'python3' && !there(program)) return
    const options = { cwd: EXAMPLES, encoding: 'utf8', env: { PATH: process.env.PATH }, timeout: 60_000 } as const
    const { status, stdout, stderr } = spawnSync(program, [name, 'a', 'b', 'c', 'd'], options)
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Set WEBHOOK_SECRET [^\n]*\n$/)])
  })

  test.each(CASES)('verify.ts: $title', async (each) => {
    const { code } = await run(process.execPath, ['verify.ts', ...headersOf(each)], each.sent ?? body)
    expect(code === 0).toBe(each.genuine)
  })

  test.each(HOSTILE)('verify.ts: $title is refused and no more', async ({ headers }) => {
    const { code, stdout } = await run(process.execPath, ['verify.ts', ...headers], body)
    expect([code, stdout]).toEqual([1, 'not genuine\n'])
  })

  test.runIf(there('python3')).each(CASES)('verify.py: $title', async (each) => {
    const { code } = await run('python3', ['verify.py', ...headersOf(each)], each.sent ?? body)
    expect(code === 0).toBe(each.genuine)
  })

  test.runIf(there('python3')).each(HOSTILE)('verify.py: $title is refused and no more', async ({ headers }) => {
    const { code, stdout } = await run('python3', ['verify.py', ...headers], body)
    expect([code, stdout]).toEqual([1, 'not genuine\n'])
  })

  describe.each(['sh', 'bash'])('verify.sh under %s', (shell) => {
    const runs = there('openssl') && spawnSync(shell, ['-c', 'true']).status === 0

    test.runIf(runs).each(CASES)('$title', async (each) => {
      const file = join(directory, 'sent.json')
      writeFileSync(file, each.sent ?? body)
      const { code } = await run(shell, ['verify.sh', ...headersOf(each), file])
      expect(code === 0).toBe(each.genuine)
    })

    test.runIf(runs).each(HOSTILE)('$title is refused and runs nothing', async ({ headers }) => {
      const { code, stdout } = await run(shell, ['verify.sh', ...headers, bodyFile])
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^not (genuine|a timestamp)\n$/)])
      expect(existsSync(TRACE)).toBe(false)
    })
  })

  test('receive.mjs takes what is genuine and send.sh makes, and nothing else', async () => {
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: writeWebhookSecret(secret), PORT: '0' }
    const child = spawn(process.execPath, ['receive.mjs'], { env, cwd: EXAMPLES, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const port = await new Promise<string>((resolve, reject) => {
        child.once('exit', () => reject(new Error('the receiver ended')))
        child.stdout.on('data', (chunk: Buffer) => {
          const found = /listening on (\d+)/.exec(chunk.toString())?.[1]
          if (found !== undefined) resolve(found)
        })
      })
      const url = `http://127.0.0.1:${port}/`
      for (const each of CASES) {
        const [id, timestamp, signatures] = headersOf(each)
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures }
        const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(each.sent ?? body) })
        expect(response.status, each.title).toBe(each.genuine ? 204 : 401)
      }
      await hangUpHalfway(Number(port))
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
      if (there('curl') && there('openssl')) {
        expect((await run('sh', ['send.sh', url, bodyFile])).stdout.trim()).toBe('204')
      }
    } finally {
      child.kill('SIGKILL')
    }
  })
})

/** A request whose sender is gone before its body has come. */
async function hangUpHalfway(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 9\r\n\r\nhalf')
  await once(socket.resume(), 'close')
}
