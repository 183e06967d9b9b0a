import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { startSpeechServer } from '../../setup/servers/speech-server.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

/** Has PostgreSQL refuse artifacts with one error after the other, then take them. */
async function refuseArtifacts(codes: readonly string[]): Promise<void> {
  await service.runtime.db.pool.query(`
    create sequence refused;
    create function refuse() returns trigger language plpgsql as $$
      declare code text := (array['${codes.join("','")}'])[nextval('refused')];
      begin
        if code is not null then raise exception 'refused' using errcode = code; end if;
        return new;
      end $$;
    create trigger refuse before insert on artifact for each row execute function refuse()`)
}

const forget = () =>
  service.runtime.db.pool.query('drop trigger refuse on artifact; drop function refuse; drop sequence refused')

test.each([
  ['a standby, a time limit, a lock, a deadlock, a full disk', ['25006', '57014', '55P03', '40P01', '53100']],
  ['anything else that PostgreSQL may say of a row', ['22000', '23514']],
])(
  'a finished job whose result PostgreSQL refuses for %s is completed later, and never failed',
  async (_what, codes) => {
    const { key, account } = await service.createCaller()
    await refuseArtifacts(codes)
    try {
      const jobId = await submitText(service.url, key, 'tts', 'Said once.', 'aria')
      expect((await finishedJob(service.url, key, jobId)).status).toBe('completed')
      const { rows } = await service.runtime.db.pool.query(
        `select last_value::int as refusals, (select count(*)::int from credit_entry where account_id = $1 and job_id = $2) as entries
       from refused`,
        [account, jobId],
      )
      expect(rows).toEqual([{ refusals: codes.length + 1, entries: 1 }])
    } finally {
      await forget()
    }
  },
)

test('of an attempt whose result PostgreSQL refuses its owner learns as much, and nothing of what PostgreSQL said', async () => {
  const { key } = await service.createCaller()
  await refuseArtifacts(['22000', '23514'])
  try {
    const jobId = await submitText(service.url, key, 'tts', 'Said once.', 'aria')
    await finishedJob(service.url, key, jobId)
    const document = 'query ($id: ID!) { job(jobId: $id) { attemptHistory { outcome error } } }'
    expect(await read(service.url, key, document, { id: jobId })).toEqual({
      job: {
        attemptHistory: [
          { outcome: 'FAILED', error: 'Its result could not be recorded.' },
          { outcome: 'COMPLETED', error: null },
        ],
      },
    })
    const { rows } = await service.runtime.db.pool.query('select cause from job_attempt where job_id = $1', [jobId])
    expect(rows[0].cause).toMatch(/^the result could not be recorded: .*(22000|23514)/)
    expect(rows[0].cause).not.toContain('refused')
  } finally {
    await forget()
  }
})

test('a job that its engine refuses is logged as failed once, after its end is recorded', async () => {
  const { log, db } = service.runtime
  const speech = await startSpeechServer()
  speech.answer(() => ({ status: 400, json: { detail: 'no' } }))
  await applyEndpoint(service.runtime, 'refused', { base_url: speech.url, max_in_flight: 1 })
  const { key } = await service.createCaller()
  const said: unknown[] = []
  const recorded: Promise<unknown>[] = []
  vi.spyOn(log, 'isLevelEnabled').mockReturnValue(true)
  vi.spyOn(log, 'info').mockImplementation((_line: unknown, what?: unknown) => {
    if (what === 'a job ended') said.push(what)
  })
  vi.spyOn(log, 'warn').mockImplementation((line: unknown, what?: unknown) => {
    if (what !== 'a job failed') return
    said.push(what, line)
    const { jobId } = line as { jobId?: string }
    recorded.push(db.pool.query('select status from job where id = $1', [jobId]).then(({ rows }) => rows))
  })
  try {
    const jobId = await submitText(service.url, key, 'refused', 'Not this one.')
    await allFinished(service.runtime, [jobId])
    await expect.poll(() => recorded.length).toBe(1)
    const detail = { jobId, attempt: 1, code: 'RENDER_FAILED', cause: expect.stringContaining('400') }
    expect(said).toEqual(['a job ended', 'a job failed', detail])
    expect(await Promise.all(recorded)).toEqual([[{ status: 'failed' }]])
  } finally {
    vi.restoreAllMocks()
    await speech.close()
  }
})

test('a job whose server answers with a page in the place of speech fails as the server is away, and its operator is shown the page', async () => {
  const speech = await startSpeechServer()
  const body = '<html>Bad gateway. Cannot speak: Not this one.</html>'
  speech.answer(() => ({ body, headers: { 'content-type': 'text/html' } }))
  await applyEndpoint(service.runtime, 'page', { base_url: speech.url, max_in_flight: 1, retry_seconds: 0 })
  const { key } = await service.createCaller()
  try {
    const jobId = await submitText(service.url, key, 'page', 'Not this one.')
    expect(await finishedJob(service.url, key, jobId)).toMatchObject({ error_code: 'PROVIDER_UNAVAILABLE' })
    const { rows } = await service.runtime.db.pool.query('select cause from job where id = $1', [jobId])
    expect(rows[0].cause).toContain('begin with "<html>Bad gateway.')
    expect(rows[0].cause).not.toMatch(/this|one/)
  } finally {
    await speech.close()
  }
})
