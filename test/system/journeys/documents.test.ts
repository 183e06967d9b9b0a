import { execFile, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseEndpointFile } from '../../../src/catalog/files/endpoint-file.ts'
import { readSettings } from '../../../src/context/config.ts'
import { type Block, blocksOf } from '../../setup/checks/blocks.ts'
import { freePorts } from '../../setup/http.ts'
import { cleanUp, makeTempDir, type Service, startService } from '../../setup/processes/process.ts'
import { ask, errorOf } from '../../setup/service/graphql.ts'
import { readWav } from '../../setup/speech/wav.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()]
/** Blocks that no test runs, by their beginning, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'every test of this folder starts the service',
  'npm ci && npm test': 'this test is a part of it',
  'npm ci  ': 'it runs all tests, one after another in every way',
  'sudo systemd-run': 'it takes root, and units of systemd',
  'cd /opt/sonant': 'it is the folder of an installation; test/system has tests of backups',
  'npx sonant models pull kokoro': 'it downloads a model of 130 MB',
  'npm install --prefix sonant-mcp': 'it downloads packages; the test of the example has them',
  'npx sonant endpoints apply examples/qwen3-tts.yaml': 'it takes two servers with GPUs',
}
/** A pause that is long enough for a reader, and the condition that a test waits for. */
const WAITS: readonly (readonly [pause: string, condition: string])[] = [
  [
    'sleep 2\nANSWER',
    `until curl -sS "$API/voice/jobs/$JOB_ID" -H "Authorization: Bearer $KEY" | grep -q '"completed"'; do sleep 0.1; done\nANSWER`,
  ],
  ['& LISTENER=$!; sleep 5', '>received 2>listening & LISTENER=$!; until grep -q takes listening; do sleep 0.1; done'],
  ['sleep 5; kill', 'until grep -q genuine received; do sleep 0.1; done; kill'],
]
const SCOPES =
  'generate:voice,job:read,voice:library,generate:workflow,companion:chat,companion:retarget,companion:media_tag,account:admin,operator'
/** Its blocks are parts of files, which `test/examples.graphql-clients.test.ts` compares and runs. */
const EXCERPTS: ReadonlySet<string> = new Set(['docs/graphql-clients.md'])
const PASTED = /^(sh|ts|python)$/
const RUNNERS: Readonly<Record<string, string>> = { ts: 'node', python: 'python3' }
const BETWEEN_BLOCKS = '\u001e'
const PAGE_DEADLINE_MS = 120_000

const runsPython = (text: string): boolean =>
  spawnSync('python3', ['-c', text.includes('import pandas') ? 'import pandas' : '']).status === 0
const isRun = ({ language, text }: Block): boolean =>
  !Object.keys(NOT_RUN).some((beginning) => text.startsWith(beginning)) && (language !== 'python' || runsPython(text))
const runnable = (page: string): Block[] => blocksOf(page).filter(isRun)

/** Values that differ between two answers of one form: ids, times, cursors, ports, signatures, numbers. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, formOf(inner)]))
  if (typeof value === 'number') return 0
  if (typeof value !== 'string') return value
  return value
    .replace(/\b[a-z]+_[0-9a-z]{26}\b/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]{12,15}Z/g, 'TIME')
    .replace(/^am9icyBhY2N0[\w-]{60,}$/, 'CURSOR')
    .replace(/127\.0\.0\.1:\d+/, 'HOST')
    .replace(/expires=\d{10}&signature=[\w-]{43}/, 'SIGNED')
}

/** A block as lines of the page's script; the next one finds its variables. */
function asShell({ language, text }: Block, index: number): string {
  const runner = RUNNERS[language]
  const program = `block-${index}.${language}`
  const command = runner ? `cat >${program} <<'BLOCK'\n${text}BLOCK\n${runner} ${program}\n` : text
  return `${command}printf '${BETWEEN_BLOCKS}'\n`
}

describe('the code of the documents', { timeout: PAGE_DEADLINE_MS }, () => {
  let service: Service
  let key = ''
  let defaultKey = ''

  beforeAll(async () => {
    service = await startService()
    const created = await service.sonant<{ api_key: string }>(
      ...['keys', 'create', '--account', 'demo', '--name', 'documents', '--scopes', SCOPES],
    )
    key = created.api_key
    const plain = await service.sonant<{ api_key: string }>('keys', 'create', '--account', 'demo', '--name', 'plain')
    defaultKey = plain.api_key
  })
  afterAll(cleanUp)

  /** Runs the blocks of a page one after the other in one shell, in a folder that looks like the checkout. Returns what each one prints. */
  const paste = async (blocks: readonly Block[]): Promise<{ home: string; outputs: string[] }> => {
    const home = await makeTempDir()
    for (const name of ['node_modules', 'examples', 'bin']) await symlink(join(ROOT, name), join(home, name))
    await writeFile(join(home, 'package.json'), '{"type": "module"}')
    const [port] = await freePorts(1)
    const pasted = blocks.map(asShell).join('').replaceAll(' 4443', ` ${port}`)
    const waiting = WAITS.reduce((script, [pause, condition]) => script.replace(pause, condition), pasted)
    const script = `API=http://127.0.0.1:4000/api/v1 KEY=${key}\n${waiting}`.replaceAll(
      '127.0.0.1:4000',
      `127.0.0.1:${service.port}`,
    )
    const env = { PATH: process.env.PATH, HOME: home, DATA_DIR: service.dataDir }
    const options = { env, cwd: home, timeout: PAGE_DEADLINE_MS }
    const { stdout } = await promisify(execFile)('sh', ['-e', '-a', '-c', script], options)
    return { home, outputs: stdout.split(BETWEEN_BLOCKS) }
  }

  test('is in languages that this test runs or reads', () => {
    const languages = new Set(PAGES.flatMap(blocksOf).map(({ language }) => language))
    expect([...languages].sort()).toEqual(['env', 'graphql', 'json', 'python', 'sh', 'sql', 'text', 'ts', 'yaml'])
  })

  test('is left out for a reason only if it is there', () => {
    const all = PAGES.flatMap(blocksOf)
    expect(Object.keys(NOT_RUN).filter((beginning) => !all.some(({ text }) => text.startsWith(beginning)))).toEqual([])
  })

  test.each(
    PAGES.filter((page) => !EXCERPTS.has(page) && runnable(page).some(({ language }) => PASTED.test(language))),
  )('of %s works when it is pasted block after block, and answers as the page shows', async (page) => {
    const blocks = runnable(page)
    const pasted = blocks.filter(({ language }) => PASTED.test(language))
    const { home, outputs } = await paste(pasted)
    for (const [index, { language, text }] of blocks.entries()) {
      if (language !== 'json') continue
      const before = blocks[index - 1]!
      const answer =
        before.language === 'graphql'
          ? await ask(service.url, defaultKey, before.text)
          : JSON.parse(outputs[pasted.indexOf(before)] ?? '')
      expect(formOf(answer)).toEqual(formOf(JSON.parse(text)))
    }
    for (const file of globSync('*.wav', { cwd: home }))
      expect(readWav(await readFile(join(home, file))), file).toMatchObject({ format: 1, channels: 1, whole: true })
  })

  test.each(
    PAGES.flatMap((page) => blocksOf(page).map((block) => ({ page, ...block }))).filter(
      ({ language }) => language === 'graphql',
    ),
  )('of $page is a request that /graphql answers without an error: $text', async ({ text }) => {
    const answer = await ask(service.url, key, text)
    expect(answer.errors).toBeUndefined()
    expect(errorOf(answer)).toBeUndefined()
  })

  test.each(PAGES)('of %s is valid if it is a file of endpoints or of variables', (page) => {
    const blocks = blocksOf(page)
    for (const { text } of blocks.filter(({ language }) => language === 'yaml')) {
      const { endpoints, workflows } = parseEndpointFile(text)
      expect(endpoints.length + workflows.length).toBeGreaterThan(0)
    }
    for (const { text } of blocks.filter(({ language }) => language === 'env')) {
      const pairs = text.matchAll(/^(\w+)=(\S+)/gm)
      expect(() => readSettings(Object.fromEntries([...pairs].map(([, name, value]) => [name, value])))).not.toThrow()
    }
  })
})
