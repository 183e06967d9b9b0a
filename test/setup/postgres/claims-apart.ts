import type { Pool } from 'pg'

/**
 * PostgreSQL refuses to claim jobs in the statement that takes their deliveries, as it does where one row is refused: workers claim them
 * by `claim_jobs`, one by one.
 */
export async function claimApart(db: Pick<Pool, 'query'>): Promise<void> {
  await db.query(`
    create or replace function claim_apart() returns trigger language plpgsql as $$ begin
      if current_query() like '%claim_queued(%' then raise 'not with its delivery'; end if;
      return null;
    end $$;
    create or replace trigger claim_apart before update on job for each statement execute function claim_apart()`)
}

export async function claimTogether(db: Pick<Pool, 'query'>): Promise<void> {
  await db.query('drop trigger if exists claim_apart on job')
}
