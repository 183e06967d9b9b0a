import { Client } from 'pg'
import { expect } from 'vitest'
import { until } from '../wait.ts'

const TIMEOUT_MS = 60_000
const LOCK = 0x50_4a_42
/** Written where every connection sees it, out of a transaction that is not committed. */
const HELD = 'holds '

/** A statement that has written all that it writes, and is not committed. */
interface HeldStatement {
  readonly pid: number
  /** How many jobs or deliveries it has inserted or moved. */
  readonly moved: number
  readonly query: string
}

export interface HeldBatches {
  /** The statements that are held now. */
  held(): Promise<HeldStatement[]>
  /** Lets all of them commit; or breaks them off, as PostgreSQL does once it knows that nothing reads their answers. */
  end(how: 'commit' | 'break off'): Promise<void>
  /** For afterEach, whatever became of PostgreSQL meanwhile. */
  close(): Promise<void>
}

/** A statement inserts waiting jobs, moves jobs into a state, or begins or ends attempts of deliveries. */
type Move = 'queued' | 'processing' | 'completed' | 'begun' | 'succeeded'

/**
 * Holds every statement that moves rows so, right before its commit and without a limit of time, until it is ended: the COMMIT itself of a
 * transaction that completes jobs. What is queued from here on has no heartbeat that could run out meanwhile.
 */
export async function holdBatches(url: string, move: Move): Promise<HeldBatches> {
  const client = new Client(url)
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select pg_advisory_lock($1)', [LOCK])
  await client.query(`${holding(move)}; ${WITHOUT_HEARTBEATS}`)
  const held = async () => {
    const { rows } = await client.query<HeldStatement>(
      `select pid, substr(application_name, ${HELD.length + 1})::int as moved, query from pg_stat_activity
       where datname = current_database() and application_name like '${HELD}%' and wait_event = 'advisory'`,
    )
    return rows
  }
  return {
    held,
    end: async (how) => {
      if (how === 'break off')
        await client.query('select pg_terminate_backend(pid, 10000) from unnest($1::int[]) as held (pid)', [
          (await held()).map(({ pid }) => pid),
        ])
      await client.query('select pg_advisory_unlock($1)', [LOCK])
    },
    close: () => client.end().catch(() => undefined),
  }
}

/** Waits until statements with this text, and no others, hold so many rows, several of them in one statement unless it is a single row. */
export async function untilHeld(batches: HeldBatches, text: RegExp, rows: number): Promise<void> {
  const areHeld = async () => {
    const held = await batches.held()
    return held.reduce((sum, one) => sum + one.moved, 0) === rows ? held : undefined
  }
  const held = (await until(areHeld, TIMEOUT_MS, `${rows} rows to be held`))!
  expect(held.filter(({ query }) => !text.test(query))).toEqual([])
  if (rows > 1) expect(Math.max(...held.map((one) => one.moved))).toBeGreaterThan(1)
}

const UPDATED = 'old table as was new table as updated'
const JOINED = 'updated join was using (id)'
/** The table, the event, its transition tables, and those of its rows that count. */
const MOVES: Readonly<Record<Move, readonly [table: string, event: string, tables: string, rows: string]>> = {
  queued: ['job', 'insert', 'new table as inserted', 'inserted'],
  processing: [
    'job',
    'update',
    UPDATED,
    `${JOINED} where updated.status = 'processing' and was.status <> updated.status`,
  ],
  completed: [
    'job',
    'update',
    UPDATED,
    `${JOINED} where updated.status = 'completed' and was.status <> updated.status`,
  ],
  begun: ['webhook_delivery', 'update', UPDATED, `${JOINED} where updated.attempt > was.attempt`],
  succeeded: [
    'webhook_delivery',
    'update',
    UPDATED,
    `${JOINED} where updated.state = 'succeeded' and was.state <> updated.state`,
  ],
}

/** A statement's last trigger. Its limit on lock waits, which would break a batch off, is lifted for this one. */
const holding = (move: Move): string => {
  const [table, event, tables, rows] = MOVES[move]
  return `
  create or replace function hold_batch() returns trigger language plpgsql as $$
  declare moved integer;
  begin
    select count(*) into moved from ${rows};
    if moved > 0 then
      perform set_config('lock_timeout', '0', true), set_config('application_name', '${HELD}' || moved, true);
      ${move === 'completed' ? '' : `perform pg_advisory_xact_lock_shared(${LOCK});`}
    end if;
    return null;
  end $$;
  drop trigger if exists zz_hold_batch on job;
  drop trigger if exists zz_hold_batch on webhook_delivery;
  create trigger zz_hold_batch after ${event} on ${table} referencing ${tables} for each statement execute function hold_batch()
  ${move === 'completed' ? HOLDING_COMMITS : ''}`
}

/** A deferred trigger runs in the COMMIT. */
const HOLDING_COMMITS = `;
  create or replace function hold_commit() returns trigger language plpgsql as $$ begin
    if new.status = 'completed' then perform pg_advisory_xact_lock_shared(${LOCK}); end if;
    return null;
  end $$;
  drop trigger if exists zz_hold_commit on job;
  create constraint trigger zz_hold_commit after update on job deferrable initially deferred for each row execute function hold_commit()`

/**
 * A heartbeat in the queue would wait for the row of a held job or delivery, with locks on others, which the next batch would not get in
 * time; and a job whose heartbeats wait is delivered again. Workers are known by their own heartbeats besides.
 */
const WITHOUT_HEARTBEATS = `
  create or replace function queue_without_heartbeat() returns trigger language plpgsql as $$ begin
    new.heartbeat_seconds := null;
    return new;
  end $$;
  create or replace trigger queue_without_heartbeat before insert on pgboss.job_common
  for each row execute function queue_without_heartbeat();
  create or replace function refuse_heartbeat() returns trigger language plpgsql as $$ begin
    if current_query() like '%SET heartbeat_on = %' then raise 'no heartbeat'; end if;
    return null;
  end $$;
  create or replace trigger refuse_heartbeat before update of heartbeat_on on pgboss.job_common
  for each statement execute function refuse_heartbeat()`

/**
 * Has the queue watch over its jobs again: what a worker gave up while PostgreSQL was away comes back by nothing else.
 * @param db after a restart, as the connection that held the batches is gone then
 */
export const watchHeartbeats = (db: Pick<Client, 'query'>): Promise<unknown> =>
  db.query(`
    drop trigger refuse_heartbeat on pgboss.job_common;
    drop trigger queue_without_heartbeat on pgboss.job_common;
    update pgboss.job_common set heartbeat_seconds = 10, heartbeat_on = now() where state = 'active'`)
