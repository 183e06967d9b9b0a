import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifySnippets } from '../../../src/console/webhooks/verify-snippets.ts'
import { type Received, signedHeaders } from '../../setup/servers/receiver.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'

/** The program for each language that runs a snippet with three headers and the raw body. */
const PROGRAMS: Readonly<Record<string, { readonly program: string; readonly takesFile: boolean }>> = {
  TypeScript: { program: process.execPath, takesFile: false },
  Python: { program: 'python3', takesFile: false },
  sh: { program: 'sh', takesFile: true },
}
const PATH = '/verified'

const folder = mkdtempSync(join(tmpdir(), 'sonant-snippets-'))
/** Programs are often installed so: what looks for its own name must find it. */
const link = `${folder}.current`
symlinkSync(folder, link)
let fixture: WebhookFixture
let [secret, other] = ['', '']
let delivery: Received
beforeAll(async () => {
  fixture = await openWebhookFixture({ webhooks: true })
  const owner = await createOwner(fixture.service, `${fixture.receiver.url}${PATH}`)
  secret = owner.secret
  other = (await createOwner(fixture.service)).secret
  await owner.outcomeOf(await owner.sendTest())
  delivery = fixture.receiver.received(PATH)[0]!
})
afterAll(async () => {
  rmSync(link)
  rmSync(folder, { recursive: true, force: true })
  await fixture?.close()
})

function verify(language: string, by: string, body: Buffer): string {
  const { file, text } = verifySnippets.find((snippet) => snippet.language === language)!
  const { program, takesFile } = PROGRAMS[language]!
  writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, 'body'), body)
  const args = [join(link, file), ...Object.values(signedHeaders(delivery)), ...(takesFile ? ['body'] : [])]
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: by }
  return spawnSync(program, args, { cwd: folder, env, input: body, encoding: 'utf8', timeout: 20_000 }).stdout.trim()
}

const isThere = (program: string): boolean =>
  spawnSync(program, [program === 'sh' ? '-c' : '--version', 'true']).status === 0
const runs = Object.entries(PROGRAMS).filter(([, { program }]) => isThere(program))

test.each(runs.map(([language]) => language))(
  'what the console shows in %s takes a delivery that the service has sent, unchanged and by its own secret alone',
  (language) => {
    const changed = Buffer.from(delivery.body.toString().replace('"job_', '"jobs_'))
    expect(changed).not.toEqual(delivery.body)
    expect(verify(language, secret, delivery.body)).toBe('genuine')
    expect(verify(language, secret, changed)).toBe('not genuine')
    expect(verify(language, other, delivery.body)).toBe('not genuine')
  },
)

test('TypeScript and Python are among them, and a whole receiver', () => {
  expect(verifySnippets.map(({ language }) => language)).toEqual(['TypeScript', 'Python', 'sh', 'Node receiver'])
})
