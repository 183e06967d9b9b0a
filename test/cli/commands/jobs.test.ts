import { execFileSync, spawnSync } from 'node:child_process'
import { constants, lstat, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCsv } from '../../setup/checks/csv.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { endCommands, startCommand } from '../../setup/processes/command.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run, runForBytes, sonantOn } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

/** Enough for a bar to move. */
const JOBS = 40_000
const HALF_A_PIPE = 32_768
const MORE_THAN_A_PIPE_HOLDS = 1_000_000

let service: TestRuntime
let env: Record<string, string>
let dir: string
beforeAll(async () => {
  service = await startTestRuntime()
  dir = await makeTempDir()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
})
afterAll(async () => {
  endCommands()
  await service.close()
  await cleanUp()
})

async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const locker = await service.runtime.db.pool.connect()
  await locker.query(`${BEGIN_HELD}; lock table ${table} in access exclusive mode`)
  try {
    await work()
  } finally {
    await locker.query('rollback')
    locker.release()
  }
}

const waiting = async () => {
  const text = `select from pg_stat_activity where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`
  return (await service.runtime.db.pool.query(text)).rowCount
}

async function exportIntoPipe(account: string) {
  const pipe = join(await makeTempDir(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const args = ['--account', account, '--from', '2026-01-01', '--to', '2027-01-01', '-o', pipe]
  return { pipe, command: startCommand([process.execPath, 'bin/sonant.js', 'jobs', 'export', ...args], env) }
}

describe('sonant jobs', () => {
  test('show tells the operator the true cause of a failure', async () => {
    const { account } = await service.createCaller()
    const cause = 'connect ECONNREFUSED 10.0.0.7:8000'
    const id = await insertJob(service.runtime.db, account, {
      status: 'failed',
      errorCode: 'PROVIDER_UNAVAILABLE',
      cause,
    })
    const shown = await sonantHere(env, 'jobs', 'show', id)
    expect(shown).toMatchObject({
      job_id: id,
      account_id: account,
      status: 'failed',
      error_code: 'PROVIDER_UNAVAILABLE',
      cause,
    })
    const { stdout } = await runHere(['jobs', 'show', id], env)
    expect(stdout).toContain(`cause: ${cause}`)
    // The verdict that a voice job does not have.
    expect(stdout).not.toMatch(/undefined|is_prohibited/)
    expect((await runHere(['jobs', 'show', 'job_x', '--json'], env)).stdout).toContain('NOT_FOUND')
  })

  test('show tells the operator of each attempt where it ran, how it ended and why', async () => {
    const { account } = await service.createCaller()
    const { pool } = service.runtime.db
    const id = await insertJob(service.runtime.db, account, { status: 'failed', cause: 'no sound' })
    await pool.query('update job set attempt = 2, started_at = created_at where id = $1', [id])
    await pool.query(
      `insert into job_attempt (job_id, attempt, started_at, ended_at, ending, worker, cause)
       select id, 1, created_at, created_at, 'worker_lost', 'wrk_gone', null from job where id = $1
       union all select id, 2, created_at, null, null, 'wrk_next', null from job where id = $1`,
      [id],
    )
    const { attempts } = await sonantHere<{ attempts: object[] }>(env, 'jobs', 'show', id)
    expect(attempts).toMatchObject([
      { number: 1, outcome: 'lost', error: 'Its worker was lost.', worker: 'wrk_gone', cause: null },
      { number: 2, outcome: 'failed', worker: 'wrk_next', cause: 'no sound' },
    ])
    const { stdout } = await runHere(['jobs', 'show', id], env)
    expect(stdout).toMatch(/^attempts: \n {2}\{"number":1,.*\n {2}\{"number":2,/m)
  })

  test('show prints no character of a cause that steers a terminal, and its lines as they are', async () => {
    const { account } = await service.createCaller()
    const cause = 'the server ended\u001b[2J\nits last line\u202e'
    const failure = { status: 'failed', errorCode: 'PROVIDER_UNAVAILABLE', cause } as const
    const id = await insertJob(service.runtime.db, account, failure)
    const { stdout } = await runHere(['jobs', 'show', id], env)
    expect(stdout).toContain(`cause: the server ended\\u001b[2J\nits last line\\u202e\n`)
    expect((await sonantHere<{ cause: string }>(env, 'jobs', 'show', id)).cause).toBe(cause)
  })

  test('list prints what the API lists', async () => {
    const { account, key } = await service.createCaller()
    for (const status of ['queued', 'completed', 'failed'] as const)
      await insertJob(service.runtime.db, account, { status })
    const filters = ['--status', 'queued, failed', '--limit', '1', '--offset', '1']
    const listed = await sonantHere(env, 'jobs', 'list', '--account', account, ...filters)
    const answer = await call(`${service.url}/api/v1/jobs?status=queued,failed&limit=1&offset=1`, { key })
    expect(listed).toEqual(answer.json())
    const wrong = await runHere(['jobs', 'list', '--account', account, '--type', 'nothing', '--json'], env)
    expect([wrong.code, JSON.parse(wrong.stdout).error_code]).toEqual([1, 'INVALID_REQUEST'])
    const beyond = await runHere(['jobs', 'list', '--account', account, '--limit', '-3'], env)
    expect([beyond.code, beyond.stderr]).toEqual([1, expect.stringMatching(/^Invalid request:\nlimit: must/)])
  })

  test('list refuses a key id that no key can have', async () => {
    const account = await service.createAccount()
    const { code, stdout, stderr } = await runHere(['jobs', 'list', '--account', account, '--api-key-id', 'foo'], env)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('api_key_id: must be a key id')
  })

  test('export writes the file that the API sends, or none', async () => {
    const { account, key } = await service.createCaller()
    for (let n = 1; n <= 3; n++) await insertJob(service.runtime.db, account, { id: idAt(new Date(Date.UTC(2026, n))) })
    const file = join(dir, 'jobs.csv')
    const window = ['--from', '2026-01-01', '--to', '2027-01-01']
    const told = await sonantOn(env, 'jobs', 'export', '--account', account, ...window, '-o', file)
    expect(told).toEqual({ file, jobs: 3 })
    const written = await readFile(file, 'utf8')
    expect(readCsv(written.slice(1))).toHaveLength(4)
    const sent = await call(`${service.url}/api/v1/jobs/export?from=2026-01-01&to=2027-01-01`, { key })
    expect(written).toBe(sent.text)
    const tooLong = ['--from', '2025-01-01', '--to', '2027-01-01', '-o', join(dir, 'none.csv')]
    const refused = await runHere(['jobs', 'export', '--account', account, ...tooLong], env)
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(await readdir(dir)).toEqual(['jobs.csv'])
  })

  test('export writes exactly the bytes of the CSV to standard output with -o -, and its words to standard error', async () => {
    const { account, key } = await service.createCaller()
    for (let n = 1; n <= 3; n++) await insertJob(service.runtime.db, account, { id: idAt(new Date(Date.UTC(2026, n))) })
    const args = ['jobs', 'export', '--account', account, '--from', '2026-01-01', '-o', '-']
    const { code, stdout, stderr } = await runForBytes([...args, '--to', '2027-01-01'], env)
    expect([code, stderr]).toEqual([0, '-  3 jobs\n'])
    const sent = await call(`${service.url}/api/v1/jobs/export?from=2026-01-01&to=2027-01-01`, { key })
    expect(stdout).toEqual(sent.bytes)
    const failed = await runForBytes([...args, '--to', '2028-01-01', '--json'], env)
    expect([failed.code, failed.stdout.length]).toEqual([1, 0])
    expect(JSON.parse(failed.stderr)).toMatchObject({ error_code: 'INVALID_REQUEST' })
    // Its reader is gone before there is anything to read.
    const command = ['node', 'bin/sonant.js', ...args, '--to', '2027-01-01', '|', 'true'].join(' ')
    const piped = startCommand(['sh', '-c', command], env)
    await piped.ended()
    expect(piped.stderr()).toMatch(/^- {2}\d+ jobs\n$/)
  })

  test('retry submits a failed job again as a new one, and no other job', async () => {
    const { account } = await service.createCaller()
    const failed = await insertJob(service.runtime.db, account, { status: 'failed' })
    const inputs = { text: 'Once more.', voice: 'aria' }
    const query = async (sql: string, ...values: unknown[]) => (await service.runtime.db.pool.query(sql, values)).rows
    await query('update job set inputs = $2, webhook_url = null where id = $1', failed, inputs)
    const again = await sonantHere<{ job_id: string }>(env, 'jobs', 'retry', failed)
    expect(again).toEqual({ job_id: expect.stringMatching(/^job_/), status: 'queued', retry_of: failed })
    const select = 'select account_id, status, inputs from job where id = $1'
    expect(await query(select, again.job_id)).toEqual([
      { account_id: account, status: 'queued', inputs: { ...inputs, language: 'auto' } },
    ])
    expect(await query(select, failed)).toEqual([{ account_id: account, status: 'failed', inputs }])
    const { stdout } = await runHere(['jobs', 'retry', failed], env)
    expect(stdout.replace(/^job_\w+/, 'ID')).toBe(`ID  queued, a retry of ${failed}\n`)
    for (const [jobId, code] of [
      [again.job_id, 'INVALID_REQUEST'],
      ['job_x', 'NOT_FOUND'],
    ] as const) {
      const refused = await runHere(['jobs', 'retry', jobId, '--json'], env)
      expect([refused.code, JSON.parse(refused.stdout).error_code]).toEqual([1, code])
    }
    const countOf = () => query('select count(*)::int as jobs from job where account_id = $1', account)
    const before = await countOf()
    await query('update account set disabled_at = now() where id = $1', account)
    const refused = await runHere(['jobs', 'retry', failed, '--json'], env)
    expect([refused.code, JSON.parse(refused.stdout).error_code]).toEqual([1, 'FORBIDDEN'])
    expect(await countOf()).toEqual(before)
  })

  test.skipIf(spawnSync('script', ['-qec', 'true', '/dev/null']).status !== 0)(
    'export shows on a terminal how many of the counted jobs are done, and elsewhere nothing but its answer',
    async () => {
      const { account } = await service.createCaller()
      const start = Date.UTC(2026, 2, 1)
      await service.runtime.db.pool.query(
        `insert into job (id, account_id, type, endpoint_key, inputs, created_at)
         select id, $1, 'voice', 'voice.tts', '{}', '2026-03-01' from unnest($2::text[]) id`,
        [account, Array.from({ length: JOBS }, (_nothing, n) => idAt(new Date(start + n)))],
      )
      const own = await makeTempDir()
      const args = ['jobs', 'export', '--account', account, '--from', '2026-03-01', '--to', '2026-04-01', '-o']
      const line = [process.execPath, 'bin/sonant.js', ...args, join(own, 'terminal.csv')].join(' ')
      const shown = startCommand(['script', '-qec', line, '/dev/null'], { ...env, TERM: 'xterm' })
      expect([await shown.ended(), shown.stderr()]).toEqual([0, ''])
      const counts = [...shown.stdout().matchAll(/(\d+)% {2}(\d+) of (\d+) jobs/g)].map((match) =>
        match.slice(1).map(Number),
      )
      expect(counts[0]).toEqual([0, 0, JOBS])
      expect(counts.at(-1)).toEqual([100, JOBS, JOBS])
      for (const [percent, done, all] of counts as [number, number, number][]) {
        expect([percent, all]).toEqual([Math.floor((100 * done) / all), JOBS])
      }
      const done = counts.map((count) => count[1] as number)
      expect(done).toEqual(done.toSorted((a, b) => a - b))
      expect(shown.stdout()).toContain(`terminal.csv  ${JOBS} jobs`)
      const quiet = await run([...args, join(own, 'quiet.csv')], env)
      expect(quiet).toEqual({ code: 0, stdout: `${join(own, 'quiet.csv')}  ${JOBS} jobs\n`, stderr: '' })
      expect(await readFile(join(own, 'quiet.csv'))).toEqual(await readFile(join(own, 'terminal.csv')))
    },
  )

  test('export writes through what is no ordinary file, and follows no link that lies in its way', async () => {
    const { account } = await service.createCaller()
    const window = ['--account', account, '--from', '2026-01-01', '--to', '2027-01-01']
    const own = await makeTempDir()
    const pipe = join(own, 'pipe')
    execFileSync('mkfifo', [pipe])
    const reader = readFile(pipe, 'utf8')
    await sonantOn(env, 'jobs', 'export', ...window, '-o', pipe)
    expect(await reader).toContain('job_id,type,endpoint_key')
    expect((await lstat(pipe)).isFIFO()).toBe(true)
    const victim = join(own, 'victim')
    await writeFile(victim, 'untouched')
    await symlink(victim, join(own, 'jobs.csv.part'))
    await sonantHere(env, 'jobs', 'export', ...window, '-o', join(own, 'jobs.csv'))
    expect(await readFile(victim, 'utf8')).toBe('untouched')
    expect((await readdir(own)).sort()).toEqual(['jobs.csv', 'jobs.csv.part', 'pipe', 'victim'])
    const missing = await runHere(['jobs', 'export', ...window, '-o', join(own, 'none', 'x.csv'), '--json'], env)
    expect(JSON.parse(missing.stdout)).toMatchObject({ error_code: 'INVALID_REQUEST' })
  })

  test('export that cannot write says so of the file that was asked for, in one line', async () => {
    const { account } = await service.createCaller()
    const file = join(await makeTempDir(), 'none', 'x.csv')
    const window = ['--account', account, '--from', '2026-01-01', '--to', '2027-01-01']
    const { code, stdout, stderr } = await run(['jobs', 'export', ...window, '-o', file], env)
    expect([code, stdout, stderr]).toEqual([1, '', `The file "${file}" cannot be written (ENOENT).\n`])
  })

  test('export into a pipe ends with SIGINT before it is read', async () => {
    const { account } = await service.createCaller()
    await whileLocked('api_key', async () => {
      const { command } = await exportIntoPipe(account)
      await expect.poll(waiting).toBe(1)
      command.killGroup('SIGINT')
      expect([await command.ended(), command.stderr()]).toEqual([130, 'Interrupted: no file was written.\n'])
    })
  })

  test('export into a pipe ends with SIGINT while its reader stands still', async () => {
    const { account } = await service.createCaller()
    const reason = 'x'.repeat(MORE_THAN_A_PIPE_HOLDS)
    await insertJob(service.runtime.db, account, { id: idAt(new Date('2026-02-02')), reason })
    const { command, pipe } = await exportIntoPipe(account)
    const reader = await open(pipe, constants.O_RDONLY)
    const buffer = Buffer.alloc(HALF_A_PIPE)
    for (let read = 0; read < HALF_A_PIPE; ) read += (await reader.read(buffer)).bytesRead
    command.killGroup('SIGINT')
    expect([await command.ended(), command.stderr()]).toEqual([130, 'Interrupted: no file was written.\n'])
    await reader.close()
  })

  test('export leaves a file as closed to others as it was', async () => {
    const { account } = await service.createCaller()
    const file = join(await makeTempDir(), 'jobs.csv')
    await writeFile(file, 'old', { mode: 0o600 })
    const window = ['--account', account, '--from', '2026-01-01', '--to', '2027-01-01']
    await sonantHere(env, 'jobs', 'export', ...window, '-o', file)
    expect(await readFile(file, 'utf8')).toContain('job_id,type,endpoint_key')
    expect((await lstat(file)).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['counts', 'job_count', 'SIGINT', 130],
    ['reads', 'api_key', 'SIGINT', 130],
    ['reads', 'api_key', 'SIGTERM', 143],
  ] as const)(
    'export that %s (%s locked) ends with %s in one line, and leaves no file',
    async (_stage, table, signal, code) => {
      const { account } = await service.createCaller()
      const own = await makeTempDir()
      await whileLocked(table, async () => {
        const args = ['--account', account, '--from', '2026-01-01', '--to', '2027-01-01', '-o', join(own, 'jobs.csv')]
        const command = startCommand([process.execPath, 'bin/sonant.js', 'jobs', 'export', ...args, '--json'], env)
        await expect.poll(waiting).toBe(1)
        if (table === 'api_key') await expect.poll(() => readdir(own)).toHaveLength(1)
        // As npm does: what the terminal has sent to every process is sent once more.
        command.killGroup(signal)
        command.killGroup(signal)
        await expect.poll(waiting).toBe(0)
        expect([await command.ended(), command.stderr()]).toEqual([code, 'Interrupted: no file was written.\n'])
        expect(JSON.parse(command.stdout())).toEqual({
          error: 'Interrupted: no file was written.',
          error_code: 'INTERRUPTED',
        })
        expect(await readdir(own)).toEqual([])
      })
    },
  )
})
