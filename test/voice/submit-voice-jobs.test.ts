import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { ask, codeOf, type GraphqlAnswer } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const SUBMIT = `mutation ($inputs: [JSON!]!, $options: SubmitVoiceJobsOptions, $slug: String = "several") {
  submitVoiceJobs(slug: $slug, inputs: $inputs, options: $options) {
    ... on VoiceJobSubmission { jobId replayed job { tags } }
    ... on RequestError { code details { path message } }
  } }`

interface One {
  readonly jobId?: string
  readonly replayed?: boolean
  readonly code?: string
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
  await applyEndpoint(service.runtime, 'several')
})
afterAll(() => service?.close())

const submit = (key: string, variables: object): Promise<GraphqlAnswer<{ submitVoiceJobs: One[] }>> =>
  ask(service.url, key, SUBMIT, variables)
const spoken = (text: string) => ({ text, voice: 'calm' })
const hundred = Array.from({ length: 100 }, (_, at) => spoken(`Text number ${at}.`))
const jobs = async (account: string) =>
  (
    await service.runtime.db.pool.query<{ id: string; text: string }>(
      `select id, inputs->>'text' as text from job where account_id = $1`,
      [account],
    )
  ).rows

test('100 texts are 100 jobs in the order of their inputs, and the same again with the same key', async () => {
  const { account, key } = await service.createCaller()
  const options = { idempotencyKey: 'monday', tags: ['book'] }
  const first = (await submit(key, { inputs: hundred, options })).data!.submitVoiceJobs
  const texts = new Map((await jobs(account)).map(({ id, text }) => [id, text]))
  expect(first.map(({ jobId }) => texts.get(jobId!))).toEqual(hundred.map(({ text }) => text))
  expect(first[0]).toMatchObject({ replayed: false, job: { tags: ['book'] } })
  const again = (await submit(key, { inputs: hundred, options })).data!.submitVoiceJobs
  expect(again.map(({ jobId, replayed }) => [jobId, replayed])).toEqual(first.map(({ jobId }) => [jobId, true]))
  const changed = [spoken('Another text.'), ...hundred.slice(1, 3)]
  const [other, ...same] = (await submit(key, { inputs: changed, options })).data!.submitVoiceJobs
  expect([other?.code, ...same.map(({ jobId }) => jobId)]).toEqual([
    'IDEMPOTENCY_MISMATCH',
    first[1]!.jobId,
    first[2]!.jobId,
  ])
  expect(await jobs(account)).toHaveLength(100)
})

test('an input that is refused says why at its place, and the others are accepted', async () => {
  const { account, key } = await service.createCaller(1_000n)
  const inputs = [spoken('Good.'), spoken(''), { text: 'No voice.' }, 'no object', spoken('Good as well.')]
  const { data, errors } = await submit(key, { inputs })
  expect(errors).toBeUndefined()
  expect(data!.submitVoiceJobs.map(({ code, jobId }) => code ?? typeof jobId)).toEqual([
    'string',
    ...Array(3).fill('INVALID_REQUEST'),
    'string',
  ])
  expect(await jobs(account)).toHaveLength(2)
})

test('a limit that is reached in the middle refuses what is beyond it alone', async () => {
  const { account, key, keyId } = await service.createCaller()
  await service.runtime.db.pool.query('update api_key set monthly_limit = 105 where id = $1', [keyId])
  const inputs = Array.from({ length: 20 }, () => spoken('Ten signs.'))
  const { data } = await submit(key, { inputs })
  const codes = data!.submitVoiceJobs.map(({ code }) => code ?? 'accepted')
  expect(codes.filter((code) => code === 'accepted')).toHaveLength(10)
  expect(codes.filter((code) => code === 'PAYMENT_REQUIRED')).toHaveLength(10)
  expect(await jobs(account)).toHaveLength(10)
})

test('no input, 101 inputs, a long key, an unknown caller and a key without the scope are refused as a whole', async () => {
  const { account, key } = await service.createCaller()
  const codes = async (variables: object, by: string = key) => codeOf(await submit(by, variables))
  expect(await codes({ inputs: [] })).toBe('INVALID_REQUEST')
  expect(await codes({ inputs: [...hundred, spoken('One more.')] })).toBe('INVALID_REQUEST')
  expect(await codes({ inputs: [spoken('Hi.')], options: { idempotencyKey: 'k'.repeat(201) } })).toBe('INVALID_REQUEST')
  expect(await codes({ inputs: [spoken('Hi.')] }, 'snt_unknown')).toBe('UNAUTHORIZED')
  const { apiKey } = await service.createKey(account, ['job:read'])
  expect(await codes({ inputs: [spoken('Hi.')] }, apiKey)).toBe('FORBIDDEN')
  const nowhere = (await submit(key, { inputs: [spoken('Hi.')], slug: 'nowhere' })).data!.submitVoiceJobs
  expect(nowhere).toMatchObject([{ code: 'NOT_FOUND' }])
  expect(await jobs(account)).toEqual([])
})
