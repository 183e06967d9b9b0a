import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ADD_DELETION = `insert into audit_entry (account_id, action, subject_id, subject_name, actor_kind) values ($1, 'key_deleted', $2, 'Batch', 'operator')`
const ADD_KEY = `insert into api_key (id, account_id, name, hash, scopes) values ($1, $2, 'grouping', sha256(convert_to($1::text, 'UTF8')), '{job:read}')`
const RUN = `update job set inputs = '{"text":"hello"}', cost = 30, started_at = created_at + interval '1 s', completed_at = created_at + interval '3 s'
  where id = $1`
const ADD_AUDIO = `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
  values ($1, $2, 'audio', $2, 'audio/wav', 4, sha256('audio'), 4000)`

/** Charts with their tables, the window before, and zooming that writes the address. */
export function statisticsJourneys(opened: () => OpenedConsole): void {
  test('charts have tables with the window before, and what is drawn or pressed becomes the address', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const endpointKey = ownName('voice.drawn')
    for (const ms of [2 * HOUR_MS, 3 * HOUR_MS, DAY_MS + 3 * HOUR_MS])
      await insertJob(db, account, { id: idAt(new Date(Date.now() - ms)), status: 'failed', endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`statistics?endpoint=${endpointKey}`))
    await page.locator('.chart canvas').first().waitFor()
    await page.locator('.chart-card', { hasText: 'Failures' }).getByText('As a table').click()
    const table = page.getByLabel('Failures, as a table')
    const columns = () =>
      table
        .locator('tbody tr')
        .evaluateAll((rows) =>
          [1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row.children[column]?.textContent), 0)),
        )
    await expect.poll(columns).toEqual([2, 1])
    const box = (await page.locator('.chart .u-over').first().boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=.*&to=/)
    await page.locator('.window-ends').waitFor()
    const drawn = page.url()
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
    await page.waitForURL((url) => url.href !== drawn)
    await page.goBack()
    await page.waitForURL(drawn)
    await page.getByText('7 days').click()
    await page.waitForURL((url) => url.search === `?endpoint=${endpointKey}&range=7d`)
    await page.getByLabel('Compare with the time before').uncheck()
    await page.waitForURL(/compare=off/)
    await expect.poll(() => page.getByText('the time before', { exact: true }).count()).toBe(0)
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.goto(at(''))
    await page.locator('.sparkline').first().waitFor()
    await page.close()
  })

  test('figures are those of an endpoint and a key where the address names them, and so are the jobs that they lead to', async () => {
    const { service, owner, account, at } = opened()
    const key = newId('key')
    const name = `filtered ${key.slice(-6)}`
    const chosen = `voice.chosen_${key.slice(-6)}`
    await service.runtime.db.pool.query(ADD_KEY.replace('grouping', name), [key, account])
    for (const [endpointKey, apiKeyId] of [
      [chosen, key],
      [chosen, null],
      ['voice.left_out', key],
    ] as const)
      await insertJob(service.runtime.db, account, {
        status: 'failed',
        errorCode: 'JOB_TIMEOUT',
        endpointKey,
        apiKeyId,
      })
    const { page, complaints } = await openPage(owner, service.url)
    const jobs = page.locator('.tile', { hasText: 'characters' }).locator('.tile-value')
    await page.goto(at(`statistics?key=${key}`))
    await expect.poll(() => jobs.textContent()).toBe('2')
    await page.getByLabel('Endpoint, such as voice.tts').fill(chosen)
    await page.keyboard.press('Enter')
    await page.waitForURL(at(`statistics?endpoint=${chosen}&key=${key}`))
    await expect.poll(() => jobs.textContent()).toBe('1')
    await expect.poll(() => page.locator('.chart-card', { hasText: 'Failures' }).locator('canvas').count()).toBe(1)
    await page.getByRole('link', { name: 'Job timeout' }).click()
    await page.waitForURL(at(`jobs?endpoint=${chosen}&key=${key}&error=job_timeout&window=24h`))
    await page.goBack()
    await page.getByRole('button', { name: /^key .*Remove this filter/ }).click()
    await expect.poll(() => jobs.textContent()).toBe('2')
    for (const path of ['statistics', 'jobs']) {
      const names = Promise.withResolvers<void>()
      await page.route('**/graphql', async (route) => {
        if (route.request().postData()?.includes('query KeyNames')) await names.promise
        await route.continue()
      })
      await page.goto(at(path))
      const field = page.getByLabel('API key, by its name')
      await field.fill('no such key')
      await page.keyboard.press('Enter')
      names.resolve()
      await page.getByText('There is no key "no such key".').waitFor()
      await field.fill(name.toUpperCase())
      await page.keyboard.press('Enter')
      await page.waitForURL(at(`${path}?key=${key}`))
      await page.getByRole('button', { name: `key ${name} Remove this filter` }).waitFor()
      expect([await field.inputValue(), await flaws(page)]).toEqual([name, []])
    }
    expect(complaints).toEqual([])
    await page.close()
  })

  test('jobs are grouped by what the address says, and Back goes to the grouping before', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const key = newId('key')
    await db.pool.query(ADD_KEY, [key, account])
    const deleted = newId('key')
    await db.pool.query(ADD_DELETION, [account, deleted])
    const endpointKey = ownName('voice.grouped')
    for (const apiKeyId of [key, key, deleted]) await insertJob(db, account, { endpointKey, apiKeyId })
    await insertJob(db, account, { endpointKey, status: 'failed' })
    const { page, complaints } = await openPage(owner, service.url)
    const address = `statistics?endpoint=${endpointKey}`
    await page.goto(at(address))
    const card = (title: string) => page.getByRole('region', { name: title, exact: true })
    const rowsOf = async (title: string) =>
      (await card(title).locator('tbody tr').allInnerTexts())
        .map((text) => text.split(/\t/).slice(0, 2).join(' '))
        .sort()
    await expect.poll(() => rowsOf('Endpoints')).toEqual([`${endpointKey} 4`])
    await card('Endpoints').getByText('Key', { exact: true }).click()
    await page.waitForURL(/by=key/)
    await expect
      .poll(() => rowsOf('API keys'))
      .toEqual(['grouping 2', 'no key: the console 1', '\u2068Batch\u2069, deleted 1'])
    expect(await flaws(page)).toEqual([])
    await page.reload()
    await expect.poll(() => rowsOf('API keys')).toHaveLength(3)
    await card('API keys').getByText('State', { exact: true }).click()
    await expect.poll(() => rowsOf('States')).toEqual(['Completed 3', 'Failed 1'])
    await page.goBack()
    await expect.poll(() => rowsOf('API keys')).toHaveLength(3)
    await card('API keys').getByRole('link', { name: 'grouping' }).click()
    await page.waitForURL(at(`jobs?endpoint=${endpointKey}&key=${key}&window=24h`))
    await page.goto(at(`${address}&by=nothing`))
    await expect.poll(() => rowsOf('Endpoints')).toEqual([`${endpointKey} 4`])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('another grouping asks for its groups alone, the arrow keys go on meanwhile, and the largest groups are shown', async () => {
    const { service, owner, at } = opened()
    const other = await service.createAccount()
    for (let index = 0; index < 52; index++)
      await insertJob(service.runtime.db, other, { endpointKey: `voice.n${index}` })
    await insertJob(service.runtime.db, other, { endpointKey: 'voice.n9' })
    const { page, complaints } = await openPage(owner, service.url)
    const [from, to] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS].map((ms) => new Date(ms).toISOString())
    await page.goto(at(`operator/statistics?account=${other}&from=${from}&to=${to}`))
    const card = page.getByRole('region', { name: 'Endpoints', exact: true })
    await card.getByText('And 2 more with fewer jobs').waitFor()
    expect(await card.locator('tbody tr').first().innerText()).toMatch(/^voice\.n9\t2/)
    await page.getByText(/^Nothing in this time: .*Work per second of audio$/).waitFor()
    const asked = new Set<string | undefined>()
    const held = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      asked.add(/query (\w+)/.exec(route.request().postData() ?? '')?.[1])
      await held.promise
      return route.fallback()
    })
    await card.getByRole('radio', { name: 'Endpoint', exact: true }).focus()
    for (const [key, by] of [
      ['ArrowRight', 'key'],
      ['ArrowRight', 'type'],
      ['ArrowLeft', 'key'],
    ] as const) {
      await page.keyboard.press(key)
      await page.waitForURL(new RegExp(`by=${by}`))
    }
    held.resolve()
    await page.getByRole('region', { name: 'API keys', exact: true }).locator('tbody tr').first().waitFor()
    expect([[...asked], complaints]).toEqual([['StatisticsGroups'], []])
    await page.close()
  })

  test('an empty window leads to the nearest one that has jobs, of operators as well', async () => {
    const { service, owner, account, at } = opened()
    const other = await service.createAccount()
    const endpointKey = ownName('voice.far_away')
    for (const whose of [account, other])
      await insertJob(service.runtime.db, whose, {
        id: idAt(new Date(Date.now() - 50 * DAY_MS)),
        endpointKey,
      })
    const { page, complaints } = await openPage(owner, service.url)
    for (const path of ['statistics?', `operator/statistics?account=${other}&`]) {
      await page.goto(at(`${path}endpoint=${endpointKey}`))
      await page.getByText(/^The nearest ones are between .* and /).waitFor()
      expect(await flaws(page)).toEqual([])
      await page.getByRole('button', { name: 'Show them' }).click()
      await page.waitForURL(/from=.*&to=/)
      await expect.poll(() => page.locator('.tile').first().locator('.tile-value').textContent()).toBe('1')
    }
    await page.goto(at('statistics?endpoint=voice.nobody'))
    await page.getByText('There are none at any other time either.').waitFor()
    await page.getByRole('link', { name: 'Open the playground' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('groups that are too many say so in their own card, and the charts stay', async () => {
    const { service, owner, account, at } = opened()
    await insertJob(service.runtime.db, account)
    const { page, complaints } = await openPage(owner, service.url, /400/)
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query StatisticsGroups(')
        ? route.fulfill({
            status: 400,
            json: { errors: [{ message: 'Group by fewer.', extensions: { code: 'INVALID_REQUEST' } }] },
          })
        : route.fallback(),
    )
    await page.goto(at('statistics'))
    await page.getByText('More groups than can be shown').waitFor()
    expect(await page.locator('[aria-labelledby=groups] button[aria-label^=Download]').isDisabled()).toBe(true)
    await page.locator('.chart canvas').first().waitFor()
    expect([await page.getByRole('alert').count(), await flaws(page), complaints]).toEqual([0, [], []])
    await page.close()
  })

  test('how fast speech is made, its characters and its credits are charts with tables that are files', async () => {
    const { service, owner, at } = opened()
    const { db } = service.runtime
    const other = await service.createAccount()
    for (const hours of [1, 3]) {
      const id = await insertJob(db, other, { id: idAt(new Date(Date.now() - hours * HOUR_MS)) })
      await db.pool.query(RUN, [id])
      await db.pool.query(ADD_AUDIO, [newId('art'), id])
    }
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`operator/statistics?account=${other}`))
    await page.getByRole('heading', { name: 'Statistics of one account' }).waitFor()
    const tableOf = async (title: string) => {
      await page.locator('.chart-card', { hasText: title }).getByText('As a table').click()
      const rows = page.getByLabel(`${title}, as a table`).locator('tbody tr')
      await rows.first().waitFor()
      return rows.evaluateAll((lines) =>
        lines.map((line) => line.children[1]?.textContent ?? '').filter((text) => !['0', '–'].includes(text)),
      )
    }
    // Two seconds of work for four of audio, within 4.5 %.
    for (const factor of await tableOf('Work per second of audio'))
      expect(Math.abs(Number.parseFloat(factor) / 0.5 - 1)).toBeLessThan(0.06)
    expect(await tableOf('Characters, by hour')).toEqual(['5', '5'])
    expect(await tableOf('Credits, by hour')).toEqual(['30', '30'])
    expect((await tableOf('Ran, 95% within')).length).toBe(2)
    expect(await flaws(page)).toEqual([])
    const all = page.waitForEvent('download')
    await page.getByRole('button', { name: 'All charts by step as CSV' }).click()
    const [header, ...lines] = (await readFile(await (await all).path(), 'utf8')).trimEnd().split('\r\n')
    const creditsAt = header!.split(',').indexOf('creditsByHour')
    expect(lines.reduce((sum, line) => sum + Number(line.split(',')[creditsAt]), 0)).toBe(60)
    for (const [title, header] of [
      ['Ran, 95% within', 'from,Ran 95% within,Before,half within,99% within'],
      ['Work per second of audio', 'from,Work per second of audio'],
      ['Endpoints', 'endpointKey,jobs,runP50Ms,runP95Ms,audioSeconds,credits'],
    ] as const) {
      const file = page.waitForEvent('download')
      await page.getByRole('button', { name: `Download as CSV: ${title}` }).click()
      expect((await readFile(await (await file).path(), 'utf8')).slice(1)).toMatch(new RegExp(`^${header}`))
    }
    await page.getByText('30 days').click()
    await page.getByRole('heading', { name: 'Characters, by day (UTC)' }).waitFor()
    // It stays open.
    const days = page.getByLabel('Credits, by day (UTC), as a table').locator('tbody tr td:nth-child(2)')
    await expect.poll(async () => (await days.allTextContents()).reduce((sum, text) => sum + Number(text), 0)).toBe(60)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('figures lead to the jobs that they count: of the same window, and of operators in their own list', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const other = await service.createAccount()
    const endpointKey = ownName('voice.figures')
    for (const [whose, days] of [
      [account, 0.1],
      [other, 40],
      [other, 100],
    ] as const)
      await insertJob(db, whose, {
        id: idAt(new Date(Date.now() - days * DAY_MS)),
        status: 'failed',
        endpointKey,
        errorCode: 'QUEUE_FAILED',
      })
    const { page, complaints } = await openPage(owner, service.url)
    const rows = page.locator('tbody tr').filter({ has: page.getByText(endpointKey) })
    for (const [path, link, address] of [
      ['statistics', 'Queue failed', 'jobs?error=queue_failed&window=24h'],
      [`operator/statistics?account=${other}&range=90d`, endpointKey, `operator/jobs?endpoint=${endpointKey}&from=`],
    ] as const) {
      await page.goto(at(path))
      await page.getByRole('link', { name: link }).click()
      await page.waitForURL((url) => url.href.startsWith(at(address)))
      await expect.poll(() => rows.count()).toBe(1)
    }
    expect(new URL(page.url()).searchParams.get('account')).toBe(other)
    await page.getByRole('button', { name: /^from .*Remove this filter/ }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel('Any time').selectOption('Last 24 hours')
    await page.waitForURL((url) => !url.searchParams.has('to'))
    await page.getByText('No job matches').waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })
}
