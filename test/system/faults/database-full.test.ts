import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { performJob } from '../../../src/jobs/lifecycle/perform-job.ts'
import { call } from '../../setup/http.ts'
import { endpoint, finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

/** A PostgreSQL without disk, memory, connections, permitted resources or a working disk. */
const STATES = ['53000', '53100', '53200', '53300', '53400', '58030'] as const
const [, DISK_FULL] = STATES
const DEADLOCK = '40P01'
const TIMEOUT_MS = 60_000
const SLUG = 'calm'
const INPUTS = { text: 'Is there room?', voice: endpoint(SLUG).voices[0]!.slug }

let service: TestRuntime
let key: string
const query = async <T extends object>(sql: string, values: unknown[] = []) =>
  (await service.runtime.db.pool.query<T>(sql, values)).rows

beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' }, worker: true })
  await applyEndpoint(service.runtime, SLUG)
  key = (await service.createCaller()).key
  // PostgreSQL does not roll back a sequence with the refusal.
  await query(`create sequence refusals`)
  await query(`create function refuse() returns trigger language plpgsql as $$ begin
    perform nextval('refusals');
    raise exception 'could not extend file: No space left on device' using errcode = tg_argv[0];
  end $$`)
})
afterAll(() => service.close())

/** It waits for all partitions in turn, and may meet a statement of the worker that waits for it: a deadlock, of which one is broken off. */
const isAltered = (statement: string): Promise<boolean> =>
  query(statement).then(
    () => true,
    (error: { code?: string }) => {
      if (error.code !== DEADLOCK) throw error
      return false
    },
  )

const alter = (statement: string) => until(() => isAltered(statement), TIMEOUT_MS, statement)

/** Runs `work` while PostgreSQL refuses all new rows of a table with this SQLSTATE. */
async function refusing<T>(table: string, state: string, work: () => Promise<T>): Promise<T> {
  await query(`alter sequence refusals restart`)
  await alter(`create trigger refuse before insert on ${table} for each row execute function refuse('${state}')`)
  try {
    return await work()
  } finally {
    await alter(`drop trigger refuse on ${table}`)
  }
}
const hasRefused = async () => (await query<{ is_called: boolean }>('select is_called from refusals'))[0]!.is_called

describe('a database whose disk is full', () => {
  test.each(STATES)('is 503 with Retry-After, in REST and in GraphQL (%s)', async (state) => {
    await refusing('job', state, async () => {
      const reply = await call(`${service.url}/api/v1/voice/${SLUG}`, { method: 'POST', key, body: { inputs: INPUTS } })
      expect([reply.status, reply.headers['retry-after'], reply.json<{ error_code: string }>().error_code]).toEqual([
        503,
        '1',
        'UNAVAILABLE',
      ])
      const document = `mutation ($inputs: JSON!) { submitVoiceJob(slug: "${SLUG}", inputs: $inputs) { __typename } }`
      const { data, errors } = await ask(service.url, key, document, { inputs: INPUTS })
      expect([data, errors?.map(({ extensions }) => extensions)]).toEqual([
        null,
        [{ code: 'UNAVAILABLE', retryAfterSeconds: 1, requestId: expect.any(String) }],
      ])
    })
  })

  test('fails no job: a finished rendering is recorded once there is room again', async () => {
    const id = await refusing('artifact', DISK_FULL, async () => {
      const submitted = await submitText(service.url, key, SLUG, INPUTS.text)
      await until(hasRefused, TIMEOUT_MS, 'the disk to be full')
      return submitted
    })
    expect(await finishedJob(service.url, key, id)).toMatchObject({ status: 'completed' })
    expect(await query('select attempt, cause from job where id = $1', [id])).toEqual([{ attempt: 1, cause: null }])
  })

  test('fails no job when it stays full: the job is delivered again', async () => {
    const account = await service.createAccount()
    const [job] = await query<{ id: string }>(
      `insert into job (id, account_id, type, endpoint_key, inputs, cost, created_at)
       select 'job_01' || substr(id, 8), id, 'voice', 'voice.nowhere', '{}', 0, now() from account where id = $1 returning id`,
      [account],
    )
    const file = {
      output: 'audio',
      extension: '.wav',
      content: Buffer.alloc(44),
      contentType: 'audio/wav',
      durationMs: 1,
    }
    const work = { timeLimitSeconds: 60, perform: async () => ({ files: [file] }) }
    const real = performance.now.bind(performance)
    await refusing('artifact', DISK_FULL, async () => {
      const performed = performJob(service.runtime, job!.id, new AbortController().signal, () => work)
      performed.catch(() => undefined)
      await until(hasRefused, TIMEOUT_MS, 'the disk to be full')
      // For what repeats the statement alone, whose job no client waits for this long: the other clocks of the service go on.
      const leap = () => (new Error().stack?.includes('until-answered') ? 3_600_000 : 0)
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + leap())
      try {
        await expect(performed).rejects.toThrow('the result could not be recorded')
      } finally {
        clock.mockRestore()
      }
    })
    expect(await query('select status, error_code from job where id = $1', [job!.id])).toEqual([
      { status: 'processing', error_code: null },
    ])
  })
})
