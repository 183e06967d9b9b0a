import { execFileSync } from 'node:child_process'
import { open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { cleanUp, makeTempDir, run } from '../../setup/processes/process.ts'
import { startInTerminal } from '../../setup/processes/terminal.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const DEADLINE_MS = 240_000
const LINES = 90
const SENTENCE =
  'It is a truth universally acknowledged, that a single man in possession of a good fortune must want a wife. '

let service: TestRuntime
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  await applyEndpoint(service.runtime, 'lines')
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir, WARM_UP: 'off' }
})
afterAll(async () => {
  endCommands()
  await service.close()
  await cleanUp()
})

interface Result {
  readonly line: number
  readonly status: string
  readonly job_id?: string
  readonly file?: string
  readonly error_code?: string
}

const fileOf = async (lines: readonly string[]) => {
  const folder = await makeTempDir()
  const file = join(folder, 'lines.jsonl')
  await writeFile(file, lines.join('\n'))
  return { folder, file }
}
const spoken = (text: string) => JSON.stringify({ text, voice: 'calm' })
const longLines = () => Array.from({ length: LINES }, (_, at) => spoken(`${at}. ${SENTENCE.repeat(2)}`))
const argsOf = (account: string, file: string, ...rest: string[]) =>
  ['batch', file, '--account', account, '--endpoint', 'lines', ...rest] as const
const resultsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
    .sort((a, b) => a.line - b.line)
const countJobs = async (account: string) => {
  const { rows } = await service.runtime.db.pool.query<{ jobs: number; charges: number }>(
    `select (select count(*)::int from job where account_id = $1) as jobs,
      (select count(*)::int from credit_entry where account_id = $1 and kind = 'charge') as charges`,
    [account],
  )
  return rows[0]
}

describe('sonant batch', { timeout: DEADLINE_MS }, () => {
  test('speaks each good line into a file of its number, and names each bad one by its number', async () => {
    const account = await service.createAccount()
    const { folder, file } = await fileOf([
      spoken('The first line.'),
      '{"text": "cut off',
      '',
      '"no object"',
      '{"text":"Between two separators: \u2028 it is one line."}',
      JSON.stringify({ text: 'Nobody speaks this.', voice: 'nobody' }),
      spoken('The first line.'),
    ])
    const { code, stdout, stderr } = await run([...argsOf(account, file, '-o', folder), '--json'], env)
    expect([code, stderr]).toEqual([1, ''])
    const results = resultsOf(stdout)
    expect(results.map(({ line, status, error_code: error }) => [line, status, error])).toEqual([
      [1, 'completed', undefined],
      [2, 'refused', 'INVALID_REQUEST'],
      [4, 'refused', 'INVALID_REQUEST'],
      [5, 'completed', undefined],
      [6, 'refused', 'INVALID_REQUEST'],
      [7, 'completed', undefined],
    ])
    expect(results[4]).toMatchObject({ details: [{ path: '/inputs/voice', message: 'unknown voice' }] })
    expect((await readdir(folder)).sort()).toEqual(['000001.wav', '000005.wav', '000007.wav', 'lines.jsonl'])
    expect((await readFile(join(folder, '000007.wav'))).subarray(0, 4).toString()).toBe('RIFF')
    expect(results[0]?.file).toBe(join(folder, '000001.wav'))
    expect(results[0]?.job_id).not.toBe(results[5]?.job_id)
    const plain = await run([...argsOf(account, file, '--format', 'mp3')], env)
    expect(plain.stdout).toMatch(/^2 {2}refused {2}INVALID_REQUEST: The line is not a JSON object/m)
    expect(plain.stdout).toMatch(/^7 {2}completed {2}\d\.\d s {2}job_\w+$/m)
    expect([plain.code, plain.stderr]).toEqual([1, '3 completed, 0 failed, 3 refused\n'])
    expect(await countJobs(account)).toEqual({ jobs: 6, charges: 6 })
  })

  test('goes on after kill -9 and after Ctrl-C: every line is spoken and charged once', async () => {
    const account = await service.createAccount()
    const { folder, file } = await fileOf(longLines())
    const args = argsOf(account, file, '-o', folder)
    const begin = () => startCommand([process.execPath, 'bin/sonant.js', ...args], env)
    const killed = begin()
    await killed.said('completed')
    killed.kill('SIGKILL')
    expect(await killed.ended()).toBe(137)
    const stopped = begin()
    await stopped.said('completed')
    stopped.kill('SIGINT')
    expect(await stopped.ended()).toBe(130)
    expect(stopped.stderr()).toBe('Stopped: the jobs go on. The same command goes on from where it was.\n')
    expect((await countJobs(account))?.jobs).toBeLessThan(LINES)
    const { code, stdout } = await run([...args, '--json'], env)
    expect(code).toBe(0)
    const results = resultsOf(stdout)
    expect(results.map(({ line }) => line)).toEqual(Array.from({ length: LINES }, (_, at) => at + 1))
    expect(new Set(results.map(({ job_id: id }) => id)).size).toBe(LINES)
    expect((await readdir(folder)).filter((name) => name.endsWith('.wav'))).toHaveLength(LINES)
    expect(await countJobs(account)).toEqual({ jobs: LINES, charges: LINES })
    expect(await audit(service.runtime, [])).toEqual([])
  })

  test('shows a bar on a terminal, below the line of each result', async () => {
    const account = await service.createAccount()
    const { file } = await fileOf([spoken('One.'), '{', spoken('Two.')])
    const terminal = startInTerminal(argsOf(account, file), env)
    expect(await terminal.ended()).toBe(1)
    expect(terminal.shown()).toMatch(/2 {2}refused {2}INVALID_REQUEST/)
    expect(terminal.shown()).toMatch(/ 100% {2}3 of 3 lines/)
    expect(terminal.shown()).toMatch(/2 completed, 0 failed, 1 refused\n/)
  })

  test('says what is wrong with the file, the folder, the account or the endpoint, and makes no job', async () => {
    const account = await service.createAccount()
    const { folder, file } = await fileOf([spoken('Never.')])
    const said = async (...args: readonly string[]) => (await run([...args], env)).stderr
    expect(await said(...argsOf(account, join(folder, 'absent.jsonl')))).toContain('cannot be read (ENOENT)')
    expect(await said(...argsOf(account, file, '-o', join(folder, 'absent')))).toContain('cannot be written (ENOENT)')
    expect(await said(...argsOf('nobody', file))).toContain('No account with the id or name "nobody".')
    expect(await said('batch', file, '--account', account, '--endpoint', 'nowhere')).toContain(
      'No voice endpoint with the slug "nowhere".',
    )
    expect(await countJobs(account)).toEqual({ jobs: 0, charges: 0 })
  })

  test('makes no jobs for an account that is disabled meanwhile', async () => {
    const account = await service.createAccount()
    const pipe = join(await makeTempDir(), 'lines.jsonl')
    execFileSync('mkfifo', [pipe])
    const command = startCommand([process.execPath, 'bin/sonant.js', ...argsOf(account, pipe), '--json'], env)
    const lines = await open(pipe, 'w')
    await lines.write(`${spoken('Before.')}\n`)
    await until(() => command.stdout().includes('completed'), DEADLINE_MS, 'the first line')
    await service.runtime.db.pool.query('update account set disabled_at = now() where id = $1', [account])
    await lines.write(`${spoken('After.')}\n`)
    await lines.close()
    expect(await command.ended()).toBe(1)
    expect(resultsOf(command.stdout())[1]).toMatchObject({ line: 2, status: 'refused', error_code: 'FORBIDDEN' })
    expect(await countJobs(account)).toEqual({ jobs: 1, charges: 1 })
  })

  test('becomes a worker where none takes its jobs', async () => {
    const alone = await startTestRuntime()
    try {
      await applyEndpoint(alone.runtime, 'lines')
      const account = await alone.createAccount()
      const { file } = await fileOf([spoken('One.'), spoken('Two.')])
      const here = { ...env, DATABASE_URL: alone.runtime.db.url, DATA_DIR: alone.dataDir }
      const { code, stderr } = await run([...argsOf(account, file)], here)
      expect([code, stderr]).toEqual([0, '2 completed, 0 failed, 0 refused\n'])
    } finally {
      await alone.close()
    }
  })
})
