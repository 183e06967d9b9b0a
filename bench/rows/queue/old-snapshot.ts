import { Client } from 'pg'
import { openDrain } from '../../backlog.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, latency, median, type Row } from '../../measure.ts'

const { claim: MOST, dueMs: DUE_MS } = GOALS.queueOldSnapshot
const QUEUE = 'voice.bench'
const SERVER = 'http://bench.invalid'
const CLAIMED = 32
const ACCOUNTS = 20
const ROUNDS = 31

/** Does to the queue's table what a worker's jobs do: one statement each queues, claims and deletes them. */
const PASS = `
  do $$ declare ids uuid[]; begin
    for round in 1 .. $ROUNDS loop
      with queued as (
        insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy)
        select '${QUEUE}', jsonb_build_object('jobId', 'job_' || n), 'acct_' || n % ${ACCOUNTS}, '${SERVER}', 2, 'standard' from generate_series(1, 320) n
        returning id
      ) select array_agg(id) into ids from queued;
      commit;
      update pgboss.job_common set state = 'active', started_on = now(), data = data || '{"worker":"w"}' where name = '${QUEUE}' and id = any(ids);
      commit;
      delete from pgboss.job_common where name = '${QUEUE}' and id = any(ids);
      commit;
    end loop;
  end $$`

/**
 * The claim of 32 jobs of 20 accounts, and the look for due jobs, after many jobs have passed while a transaction stayed
 * open. The floor is the same before them, without that transaction. Both begin at the time that the last look named, as a worker's do.
 */
export const queueOldSnapshot: Row = {
  name: 'queue-old-snapshot',
  what: 'claim and poll after 300,000 jobs while a transaction stays open, next to before (30,000 with --quick)',
  reach: `claim <= ${MOST} x floor, poll <= ${DUE_MS} ms`,
  run: async (environment) => {
    const { url } = await environment.database()
    const { client, close } = await openDrain(environment, { slots: CLAIMED })
    const holder = new Client({ connectionString: url })
    await holder.connect()
    try {
      const before = await timed(client)
      await holder.query('begin isolation level repeatable read')
      await holder.query('select from pgboss.job limit 1')
      await passed(client, environment)
      const after = await timed(client)
      const claims = after.claims.map((ours, round) => ({ ours, floor: before.claims[round]! }))
      const measures = [
        latency(`claim of ${CLAIMED} jobs`, claims, MOST),
        atMost('look for due jobs', 'ms', median(after.looks), DUE_MS, median(before.looks)),
      ]
      return { name: 'queue-old-snapshot', measures, notes: [] }
    } finally {
      await holder.end()
      await close()
    }
  },
}

async function passed(client: Client, { quick }: Pick<Environment, 'quick'>): Promise<void> {
  await client.query(PASS.replace('$ROUNDS', String(Math.ceil((quick ? 30_000 : 300_000) / 320))))
  // Workers look twice a second; the last of these jobs are older than ten seconds for the next look.
  await client.query('select pg_sleep(10)')
}

/** Milliseconds each. */
async function timed(client: Client): Promise<{ claims: number[]; looks: number[] }> {
  const [claims, looks]: [number[], number[]] = [[], []]
  let since: Date | null = null
  for (let round = 0; round < ROUNDS; round++) {
    await client.query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy)
       select $1, jsonb_build_object('jobId', 'job_' || n), 'acct_' || n % ${ACCOUNTS}, $2, 2, 'standard' from generate_series(1, ${CLAIMED}) n`,
      [QUEUE, SERVER],
    )
    const lookedAt = performance.now()
    since = await look(client, since)
    const rooms = JSON.stringify({ since, '': CLAIMED, awaited: { '': CLAIMED } })
    const claimedAt = performance.now()
    const text = `select * from claim_queued($1, ${CLAIMED}, 'acct_3', 'w', $2)`
    const { rowCount } = await client.query({ name: 'claim', text, values: [QUEUE, rooms] })
    if (rowCount !== CLAIMED) throw new Error(`${rowCount} jobs were claimed`)
    claims.push(performance.now() - claimedAt)
    looks.push(claimedAt - lookedAt)
    await client.query('delete from pgboss.job where name = $1', [QUEUE])
  }
  return { claims, looks }
}

async function look(client: Client, since: Date | null): Promise<Date> {
  const text = `select read_at - interval '10 s' as since from due_queues($1, $2)`
  const { rows } = await client.query<{ since: Date }>({ name: 'look', text, values: [[QUEUE], [since]] })
  return rows[0]!.since
}
