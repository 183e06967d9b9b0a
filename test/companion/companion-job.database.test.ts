import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatAnswer } from '../setup/servers/provider-server.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'

/** A server without writes, a time limit, a lock, two transactions in each other's way, and no disk, memory or connection left. */
const CODES = ['25006', '57014', '55P03', '40001', '40P01', '53100', '53200', '53300', '58030']
/** Statements of the transaction that ends a job: a raw one, one of Prisma Client's own, and the commit. */
const PLACES = [
  ['the job is completed', 'trigger refuse before update on job'],
  ['the exchange is written', 'trigger refuse before insert on companion_turn'],
  ['it is committed', 'constraint trigger refuse after insert on companion_turn deferrable initially deferred'],
] as const
const REFUSALS = 2

let service: Producers
beforeAll(async () => {
  service = await startProducers(({ url }) => ({ COMPANION_BASE_URL: url }))
  service.provider.script('/v1/chat/completions', chatAnswer('fine'))
  const statements = [
    'create sequence refusals',
    'create table refusal (code text)',
    // PostgreSQL does not roll back a sequence with the refusal.
    `create function refuse() returns trigger language plpgsql as $$ declare code text := (select refusal.code from refusal); begin
       if code is not null and nextval('refusals') <= ${REFUSALS} then
         raise exception 'not now' using errcode = code; end if;
       return new; end $$`,
    `create function reading() returns boolean language plpgsql as $$ declare code text := (select refusal.code from refusal); begin
       if code is not null then raise exception 'not now' using errcode = code; end if;
       return true; end $$`,
  ]
  for (const sql of statements) await service.query(sql, [])
})
afterAll(() => service?.close())

const refuseWith = async (code: string | null) => {
  await service.query('select setval($1, 1, false)', ['refusals'])
  await service.query('delete from refusal', [])
  if (code !== null) await service.query('insert into refusal values ($1)', [code])
}
const say = (key: string, chatId?: string) =>
  service.send<{ chat_id: string; job_id: string; error_code?: string }>('/companion/chat', key, {
    message: 'Hello.',
    ...(chatId !== undefined && { chat_id: chatId }),
  })

describe('a companion job that the database refuses for a moment', () => {
  it.each(PLACES)('is completed with what it came to, for every such reason: when %s', async (_title, trigger) => {
    const key = await service.newKey()
    await service.query(`create ${trigger} for each row execute function refuse()`, [])
    for (const code of CODES) {
      await refuseWith(code)
      const { status, body } = await say(key)
      expect([code, status, body.error_code]).toEqual([code, 200, undefined])
      expect(await service.query(`select last_value > ${REFUSALS} as all from refusals`, [])).toEqual([{ all: true }])
      expect(await service.query('select from companion_turn where chat_id = $1', [body.chat_id])).toHaveLength(2)
    }
    expect(await service.query(`select from job where status <> 'completed'`, [])).toEqual([])
    await service.query(`drop trigger refuse on ${trigger.includes('on job') ? 'job' : 'companion_turn'}`, [])
  })
})

describe('a companion chat whose history the database does not read', () => {
  it('is 503 with Retry-After for every such reason, and becomes no job', async () => {
    await refuseWith(null)
    const key = await service.newKey()
    const chatId = (await say(key)).body.chat_id
    await service.query('alter table companion_turn rename to kept_turn', [])
    await service.query('create view companion_turn as select * from kept_turn where reading()', [])
    const before = await service.countJobs()
    for (const code of CODES) {
      await refuseWith(code)
      const { status, headers, body } = await say(key, chatId)
      expect([code, status, headers.get('retry-after'), body.error_code]).toEqual([code, 503, '1', 'UNAVAILABLE'])
    }
    expect(await service.countJobs()).toBe(before)
    await refuseWith(null)
    expect((await say(key, chatId)).status).toBe(200)
  })
})
