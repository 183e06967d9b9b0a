import type { Page } from 'playwright-core'
import type { Environment } from './environment.ts'
import { GOALS } from './goals.ts'
import { type Measure, quantile } from './measure.ts'
import { connected } from './seed.ts'

const { taskMs: TASK_MS, frameMs: FRAME_MS } = GOALS.console
const UPDATES = 10_000

/** A measure in milliseconds with a limit, above a floor where there is one. */
export const atMost = (what: string, value: number, limit: number, floor: number | null = null): Measure => ({
  what,
  unit: 'ms',
  floor,
  value,
  ratio: floor === null ? null : value / floor,
  reach: floor === null ? `<= ${limit} ms` : `<= floor + ${limit} ms`,
  reached: value <= limit + (floor ?? 0),
})

/** 10,000 changes of jobs reach an open list within 1.2 s: how long the page cannot answer, and what its socket brought. */
export async function storm(
  page: Page,
  environment: Environment,
): Promise<{ readonly measures: Measure[]; readonly note: string }> {
  await page.getByLabel('Connection: Live').waitFor()
  const [devtools, brought] = [await page.context().newCDPSession(page), [] as number[]]
  await devtools.send('Network.enable')
  devtools.on('Network.webSocketFrameReceived', ({ response }) => brought.push(response.payloadData.length))
  await page.evaluate(WATCH_FRAMES)
  await changeJobs(environment)
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const { frames, longest } = (await page.evaluate('window.seen')) as { frames: number[]; longest: number }
  const measures = [
    atMost(`${UPDATES} changes of jobs within 1.2 s: the longest task`, longest, TASK_MS),
    atMost(`${UPDATES} changes of jobs within 1.2 s: a frame, p99`, quantile(frames, 0.99), FRAME_MS),
  ]
  const bytes = brought.reduce((sum, length) => sum + length, 0)
  return { measures, note: `the socket brought ${brought.length} messages of together ${bytes} bytes` }
}

const WATCH_FRAMES = `(() => {
  window.seen = { frames: [], longest: 0 }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.seen.longest = Math.max(window.seen.longest, duration)
  }).observe({ entryTypes: ['longtask'] })
  let last = performance.now()
  const next = (now) => {
    window.seen.frames.push(now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
})()`

/** In 24 statements over 1.2 s, each notified as the service notifies what it changes itself. */
async function changeJobs(environment: Environment): Promise<void> {
  const { url, accountId } = await environment.database()
  const part = UPDATES / 24
  await connected(url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select id from job where account_id = $1 order by id desc limit $2',
      [accountId, UPDATES],
    )
    for (let at = 0; at < UPDATES; at += part) {
      const ids = rows.slice(at, at + part).map(({ id }) => id)
      await client.query('update job set attempt = attempt + 1 where id = any($1)', [ids])
      await client.query(`select pg_notify('sonant_job', $1 || ' ' || id) from unnest($2::text[]) id`, [accountId, ids])
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })
}
