import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { newId } from '../../../../src/values/id.ts'
import { openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

const LONG = 'A rather long title of something'
/** The console shows older times as dates, which are wider. */
const DATED_MS = 31 * 86_400_000
const DATED = `now() - interval '${DATED_MS} milliseconds'`
const WIDTHS = [860, 960, 1020, 1099, 1100, 1190, 1240, 1390, 1440]
/** By list: where some columns are hidden. */
const HIDDEN: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  jobs: { 860: ['Key', 'Run'], 960: ['Run'], 1100: ['Key', 'Run'] },
  keys: {},
  webhooks: { 860: ['To', 'Attempts'], 960: ['Attempts'], 1100: ['To', 'Attempts'] },
  'webhooks/deliveries': { 860: ['To', 'Attempts'], 960: ['Attempts'], 1100: ['To', 'Attempts'] },
  people: {
    860: ['Added', 'Last seen'],
    960: ['Added'],
    1020: ['Added'],
    1099: ['Added'],
    1100: ['Added', 'Last seen'],
    1190: ['Added'],
    1240: ['Added'],
  },
  'operator/accounts': { 860: ['Since'], 960: ['Since'], 1100: ['Since'] },
  operator: {},
  'operator/jobs': {
    860: ['Wait', 'Run'],
    960: ['Wait', 'Run'],
    1020: ['Wait', 'Run'],
    1100: ['Wait', 'Run'],
    1190: ['Wait', 'Run'],
    1240: ['Wait', 'Run'],
  },
  'operator/audit': { 860: ['Detail'], 960: ['Detail'], 1100: ['Detail'] },
}

/** Lists follow the room that they have, and none is wider. */
export function columnJourneys(opened: () => OpenedConsole): void {
  test('lists hide the columns that do not fit, and no others', async () => {
    const { service, owner, at } = opened()
    await fill(opened())
    const { page, complaints } = await openPage(owner, service.url)
    const found: unknown[] = []
    const expected: unknown[] = []
    for (const [path, hidden] of Object.entries(HIDDEN)) {
      await page.goto(at(path))
      await page.locator('tbody td').first().waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        found.push([path, width, await hiddenIn(page), await lastingExcess(page)])
        expected.push([path, width, hidden[width] ?? [], 0])
      }
    }
    expect([found, complaints]).toEqual([expected, []])
    await page.close()
  })

  test('jobs whose every value is as long as it can be are no wider than the window, at any width', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const key = newId('key')
    await db.pool.query(ADD_KEY, [key, account, 'W'.repeat(100), '{job:read}'])
    const endpointKey = `voice.${'w'.repeat(63)}`
    // The running job has just begun and comes first: maintenance fails a job without a queue row after 30 s.
    const [failed, running] = [datedId(), newId('job')]
    const common = { endpointKey, apiKeyId: key }
    const cause = LONG.repeat(4)
    await insertJob(db, account, { ...common, id: failed, status: 'failed', errorCode: 'PROVIDER_UNAVAILABLE', cause })
    await insertJob(db, account, { ...common, id: running, status: 'processing' })
    await db.pool.query(MAKE_LONG, [[failed, running]])
    const { page, complaints } = await openPage(owner, service.url)
    const found: unknown[] = []
    const [ends, runs] = [/provider unavailable/i, '999 of 1000']
    for (const [path, ...shown] of [
      [`jobs/${running}`, endpointKey, runs],
      [`jobs?endpoint=${endpointKey}`, ends, runs],
      [`operator/jobs?endpoint=${endpointKey}`, ends, runs],
      [`jobs/${failed}`, endpointKey, ends],
      [`statistics?endpoint=${endpointKey}`, '59 min 59 s'],
      [`operator/statistics?endpoint=${endpointKey}`, '59 min 59 s'],
    ] as const) {
      await page.goto(at(path))
      for (const text of shown) await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
      for (const width of [360, 768, ...WIDTHS, 900]) {
        await page.setViewportSize({ width, height: 900 })
        const excessive = await lastingExcess(page)
        if (excessive > 0) found.push([path.split('?')[0], width, excessive])
      }
    }
    expect([found, complaints]).toEqual([[], []])
    await page.close()
  })

  test('the overview, and whatever a phone shows of jobs, credits and statistics, are no wider than the window', async () => {
    const { service, owner, at } = opened()
    await fill(opened())
    const { page, complaints } = await openPage(owner, service.url)
    const found: unknown[] = []
    for (const [path, widths] of [
      ['', [860, 900, 960, 1020, 1100, 1190, 360]],
      ['jobs?status=failed', [360]],
      ['credits', [360]],
      ['operator/statistics', [360]],
      ['operator/endpoints', [360, 1100]],
    ] as const) {
      await page.goto(at(path))
      await page.locator('main :is(table, .tile)').first().waitFor()
      await page.evaluate(() => {
        for (const value of document.querySelectorAll('.tile-value')) value.replaceChildren('over 999 days')
        for (const time of document.querySelectorAll('[aria-label=Times] td')) time.replaceChildren('51 min 12 s')
      })
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const excessive = await lastingExcess(page)
        if (excessive > 0) found.push([path, width, excessive])
      }
    }
    expect([found, complaints]).toEqual([[], []])
    await page.close()
  })
}

const hiddenIn = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.as-cards th')]
      .filter((cell) => getComputedStyle(cell).display === 'none')
      .map((cell) => cell.textContent ?? ''),
  )

/** By how many pixels the page, a table, a card's line or a tile is wider than its box. */
const excess = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.max(
      ...[document.documentElement, ...document.querySelectorAll('.table-box, .job-lines, .job-lines li, .tile')].map(
        (box) => box.scrollWidth - box.clientWidth,
      ),
    ),
  )

/** Charts follow the width of their box some frames later. Returns the excess that stays for two seconds. */
async function lastingExcess(page: Page): Promise<number> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  for (let tries = 0; tries < 20 && (await excess(page)) > 0; tries++) await page.waitForTimeout(100)
  return excess(page)
}

const datedId = () => idAt(new Date(Date.now() - DATED_MS))

async function fill({ service, account }: OpenedConsole): Promise<void> {
  const { db } = service.runtime
  const key = newId('key')
  await db.pool.query(ADD_KEY, [key, account, LONG, '{job:read,generate:voice,account:admin}'])
  for (const errorCode of ['PROVIDER_UNAVAILABLE', 'CHARGE_FAILED'])
    await insertJob(db, account, { id: datedId(), status: 'failed', errorCode, apiKeyId: key, cause: LONG.repeat(4) })
  // The overview begins with what an account without a job of late does first.
  const job = await insertJob(db, account, { apiKeyId: key })
  for (const [state, outcome] of [
    ['failed', 'timeout'],
    ['succeeded', 'succeeded'],
  ] as const)
    await db.pool.query(ADD_DELIVERY, [newId('msg'), account, job, state, outcome])
  const email = `${newId('user')}@example-of-a-long-name.com`
  const { id } = await createUser(service.runtime.as({ kind: 'system' }), { account, email, role: 'member' })
  await db.pool.query(`update "user" set created_at = ${DATED}, last_seen_at = ${DATED} where id = $1`, [id])
  for (const action of ['key_updated', 'user_federated', 'password_reset'])
    await db.pool.query(ADD_CHANGE, [account, key, LONG, action])
  await db.pool.query(ADD_ACCOUNT, [newId('acct'), `${'W'.repeat(60)} ${key}`])
  await db.pool.query(ADD_WORKER, [newId('wrk')])
}

const MAKE_LONG = `update job set started_at = created_at + interval '59 min 59 s', cost = 999999999, chunks_done = 999, chunks_total = 1000,
  completed_at = case when completed_at is not null then created_at + interval '1 h 59 min 58 s' end where id = any($1)`
const ADD_KEY = `insert into api_key (id, account_id, name, hash, scopes, last_used_at, expires_at, created_by_id)
  values ($1, $2, $3, sha256(convert_to($1::text, 'UTF8')), $4, ${DATED}, now() + interval '90 days', (select id from "user" where email = 'owner@example.com'))`
const ADD_DELIVERY = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at, state, outcome, finished_at)
  values ($1, $2, 'job', $3, 'https://hooks.of.a.long.name.example.com/sonant', 0, '', 1, now(), ${DATED}, $4, $5, now())`
const ADD_CHANGE = `insert into audit_entry (account_id, action, subject_id, subject_name, detail, actor_kind, actor_id, actor_account_id, actor_name, created_at)
  values ($1, $4, $2, $3, $3, 'key', $2, $1, $3, ${DATED})`
const ADD_ACCOUNT = `insert into account (id, name, credits, created_at) values ($1, $2, 999999999999, ${DATED})`
const ADD_WORKER = `insert into worker (id, host, version, pools, slots, in_flight, gpus, heartbeat_at)
  values ($1, 'gpu-host-7.eu.example.com', '0.0.0', '{gpu,cpu,batch,overflow}', 4, 1, '[]', now() + interval '1 hour')`
