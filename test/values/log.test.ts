import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { until } from '../setup/wait.ts'

const LOGGING_PROCESS = fileURLToPath(new URL('../setup/processes/logging-process.ts', import.meta.url))
const DEADLINE_MS = 60_000
/** Each logs 100 KB: together more than a pipe and the waiting lines hold. */
const REQUESTS = 60
const LINES_EACH = 100
const TAKEN_EARLY = 10

interface Line {
  readonly msg: string
  readonly line?: number
  readonly dropped?: number
}

const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})

const isWithoutTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status !== 0

/** Its terminal is held as soon as nothing reads what comes out of it any more. */
async function startOnTerminal() {
  const line = `'${process.execPath}' '${LOGGING_PROCESS}'`
  const child = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
  running.add(child)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const port = await until(() => /^(\d+)\r?\n/m.exec(text)?.[1], DEADLINE_MS, 'its port')
  child.stdout.pause()
  const read = (): void => void child.stdout.resume()
  return { get: () => call(`http://127.0.0.1:${port}/`), read, text: () => text }
}

async function startLogging() {
  const child = spawn(process.execPath, [LOGGING_PROCESS], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const port = Number(String((await once(child.stdout!, 'data'))[0]))
  let text = ''
  return {
    child,
    get: (path: string) => call(`http://127.0.0.1:${port}${path}`),
    /** Begins to read what it logs; until then nothing does. */
    read: () =>
      void child
        .stderr!.setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .resume(),
    /** Reads what has come, about as much as a pipe holds. @returns characters */
    takeSome: async () => {
      const [chunk] = (await once(child.stderr!.setEncoding('utf8').resume(), 'data')) as [string]
      child.stderr!.pause()
      text += chunk
      return chunk.length
    },
    lines: () =>
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line),
  }
}

test('a log that is not read stops no request, and what it drops is counted once it is read again', async () => {
  const logging = await startLogging()
  for (let request = 1; request <= REQUESTS; request++) {
    expect((await logging.get('/')).text).toBe(String(request * LINES_EACH))
  }
  logging.read()
  await until(() => logging.lines().some(({ dropped }) => dropped !== undefined), DEADLINE_MS, 'the count')
  const lines = logging.lines()
  const kept = lines.flatMap(({ line }) => (line === undefined ? [] : [line]))
  expect(kept).toEqual(kept.map((_line, index) => index + 1))
  expect(kept.length + lines.at(-1)!.dropped!).toBe(REQUESTS * LINES_EACH)
  expect(kept.length).toBeGreaterThan(1000)
  await logging.get('/')
  await until(() => logging.lines().at(-1)?.line === (REQUESTS + 1) * LINES_EACH, DEADLINE_MS, 'the lines after it')
})

test('a reader that takes a little meanwhile finds the count where lines are missing', async () => {
  const logging = await startLogging()
  let taken = 0
  for (let request = 1; request <= REQUESTS; request++) {
    await logging.get('/')
    if (request > REQUESTS - TAKEN_EARLY) taken += await logging.takeSome()
  }
  expect(taken).toBeGreaterThan(0)
  logging.read()
  await until(() => logging.lines().some(({ dropped }) => dropped !== undefined), DEADLINE_MS, 'the count')
  await logging.get('/')
  await until(() => logging.lines().at(-1)?.line === (REQUESTS + 1) * LINES_EACH, DEADLINE_MS, 'the lines after it')
  const lines = logging.lines()
  const at = lines.findIndex(({ dropped }) => dropped !== undefined)
  expect(lines.slice(0, at).map(({ line }) => line)).toEqual(Array.from({ length: at }, (_, index) => index + 1))
  expect(lines.filter(({ dropped }) => dropped !== undefined)).toHaveLength(1)
  expect(at + lines[at]!.dropped! + 1).toBe(lines[at + 1]!.line)
})

test.each(['/exit', '/crash'])('a log that is read loses nothing, the last lines before %s included', async (path) => {
  const logging = await startLogging()
  logging.read()
  for (let request = 0; request < 20; request++) await logging.get('/')
  const closed = once(logging.child, 'close')
  await logging.get(path).catch(() => undefined)
  await closed
  const lines = logging.lines().flatMap(({ line }) => (line === undefined ? [] : [line]))
  expect(lines).toEqual(Array.from({ length: 21 * LINES_EACH }, (_, index) => index + 1))
})

test('a log whose reader is gone stops no request', async () => {
  const logging = await startLogging()
  logging.child.stderr!.destroy()
  for (let request = 1; request <= 20; request++) {
    expect((await logging.get('/')).text).toBe(String(request * LINES_EACH))
  }
})

test.skipIf(isWithoutTerminal)('a terminal that is held stops no request, and what is dropped is counted', async () => {
  const logging = await startOnTerminal()
  for (let request = 1; request <= REQUESTS; request++) {
    expect((await logging.get()).text).toBe(String(request * LINES_EACH))
  }
  logging.read()
  const counted = await until(() => /dropped=(\d+)/.exec(logging.text())?.[1], DEADLINE_MS, 'the count')
  const kept = [...logging.text().matchAll(/line=(\d+)/g)].map(([, line]) => Number(line))
  expect(kept).toEqual(kept.map((_line, index) => index + 1))
  expect(kept.length + Number(counted)).toBe(REQUESTS * LINES_EACH)
})
