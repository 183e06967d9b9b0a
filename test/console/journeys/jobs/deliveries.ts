import { readFile } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { notifyAccount } from '../../../../src/accounts/notify-account.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openPage, pressUntil } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { ADD_DELIVERY, ahead, type OpenedConsole, ownEmail, ownName, signIn } from '../opened-console.ts'

const ADD_ENDED = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at, state, outcome, finished_at)
  values ($1, $2, 'job', $3, 'https://hooks.example.com/sonant', 0, '', 1, now(), now(), $4, $5, now())`
const ADD_FAILED = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at, state, outcome, finished_at)
  select id, $1, 'test', $2, 'https://hooks.example.com', 0, '', 1, now(), now(), 'failed', 'status_507', now() from unnest($3::text[]) id`
const BEGIN_AGAIN = `update webhook_delivery set state = 'pending', outcome = null, finished_at = null where id = $1`
const WAITS_AGAIN = `update webhook_delivery set state = 'pending', outcome = 'status_503', finished_at = null, next_attempt_at = now() + interval '59 s' where id = $1`
const SENT = 'update webhook_delivery set body = $2, timestamp = 1700000000 where id = $1'
const ADD_ROUND = `insert into webhook_attempt (delivery_id, round, number, duration_ms, outcome) values ($1, $2, $3, 7, 'timeout')`
const ADD_ATTEMPT = 'insert into webhook_attempt (delivery_id, round, number, duration_ms) values ($1, 1, 1, $2)'
const OWNER = { password: 'correct horse battery', role: 'owner' } as const
const DAY_MS = 86_400_000
const STATES_OF = 'select state from webhook_delivery where id = any($1)'
const STILL_ENDED = `select d.id from webhook_delivery d join job j on j.id = d.job_id
  where j.endpoint_key like $1 || '%' and d.state <> 'pending' order by d.id`

/** Journeys through deliveries: filtered by the address, and sent again many at a time. */
export function deliveryJourneys(opened: () => OpenedConsole): void {
  test('deliveries are filtered by state, outcome, endpoint and time in the address, and those that match are sent again', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const add = async (endpointKey: string, state: string, outcome: string): Promise<string> => {
      const [id, job] = [newId('msg'), await insertJob(db, account, { endpointKey })]
      await db.pool.query(ADD_ENDED, [id, account, job, state, outcome])
      return id
    }
    const key = ownName('voice.sent')
    for (let made = 0; made < 2; made++) await add(key, 'failed', 'timeout')
    const others = [
      await add(key, 'failed', 'status_503'),
      await add(key, 'succeeded', 'succeeded'),
      await add(`${key}_too`, 'failed', 'timeout'),
    ]
    const { page, complaints } = await openPage(owner, service.url)
    const rows = page.locator('tbody tr')
    await page.goto(at('webhooks'))
    await page.getByRole('region', { name: 'Latest deliveries' }).getByRole('row').nth(5).waitFor()
    await page.getByRole('region', { name: 'Last 24 hours' }).getByText('no attempt follows').waitFor()
    await page.getByRole('link', { name: 'See all' }).click()
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor()
    await page.getByLabel('Endpoint, such as voice.tts').fill(key)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('endpoint') === key)
    await expect.poll(() => rows.count()).toBe(4)
    await page.getByLabel('Any outcome').selectOption('The receiver took longer than 10 s')
    await page.waitForURL(/outcome=timeout/)
    await page.getByLabel('Any time').selectOption('Last hour')
    await page.waitForURL(/window=1h/)
    await page.locator('.segment', { hasText: 'Failed' }).click()
    await page.waitForURL(/state=failed/)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByText('2 deliveries').waitFor()
    const list = page.url()
    const parametersOf = (url: string) => [...new URL(url).searchParams].sort()
    await rows.first().locator('a').first().click()
    await page.getByRole('heading', { name: 'Attempts' }).waitFor()
    const newest = page.url()
    await page.getByRole('button', { name: 'Next delivery', disabled: false }).waitFor()
    await page.keyboard.press('j')
    await page.waitForURL((url) => url.href !== newest)
    await page.getByRole('button', { name: 'Previous delivery' }).click()
    await page.waitForURL(newest)
    await page.locator('.crumb', { hasText: 'Deliveries' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    expect(parametersOf(page.url())).toEqual(parametersOf(list))
    for (const back of [newest, list]) {
      await page.goBack()
      await page.waitForURL(back)
    }
    await expect.poll(() => rows.count()).toBe(2)
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: 'Send matching failed again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send 2 matching failed deliveries again?' })
    await dialog.getByText('Only those that match all filters').waitFor()
    expect(await flaws(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('2 sent again.').waitFor()
    await page.getByText('No delivery matches').waitFor()
    await page.getByRole('button', { name: 'Show all deliveries' }).waitFor()
    expect((await db.pool.query(STILL_ENDED, [key])).rows.map(({ id }) => id)).toEqual(others.toSorted())
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('state'))
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL((url) => url.search === '')
    await page.goto(at(`webhooks/deliveries?state=pending&endpoint=${key}`))
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.getByRole('button', { name: /^Send .*failed again/ }).count()).toBe(0)
    await page.goto(at(`webhooks/deliveries?outcome=status_999&endpoint=${key}`))
    await page.getByText('does not exist any more: outcome').waitFor()
    await expect.poll(() => rows.count()).toBe(4)
    expect(await page.getByRole('button', { name: /^Send .*failed again/ }).count()).toBe(0)
    await page.goto(at(`webhooks/deliveries?state=succeeded&endpoint=${key}`))
    await expect.poll(() => rows.count()).toBe(1)
    expect(await page.getByRole('button', { name: /^Send .*failed again/ }).count()).toBe(0)
    const endpoint = page.getByLabel('Endpoint, such as voice.tts')
    await endpoint.fill('nowhere')
    await page.keyboard.press('Enter')
    await page.getByText('There is no endpoint "nowhere".').waitFor()
    expect([page.url(), await flaws(page)]).toEqual([at(`webhooks/deliveries?state=succeeded&endpoint=${key}`), []])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the deliveries of the last 24 hours are summed up, and their figures follow what is delivered', async () => {
    const { service, browser, at } = opened()
    const { db } = service.runtime
    const account = await service.createAccount()
    const email = ownEmail('summed')
    await createUser(service.runtime.as({ kind: 'system' }), { account, email, ...OWNER })
    for (const [state, tookMs, age] of [
      ['succeeded', 100, 0],
      ['succeeded', 300, DAY_MS - 3_600_000],
      ['failed', 2000, 0],
      ['failed', 4000, DAY_MS + 3_600_000],
    ] as const) {
      const id = newId('msg', new Date(Date.now() - age))
      await db.pool.query(ADD_ENDED, [id, account, newId('job'), state, state === 'failed' ? 'timeout' : state])
      await db.pool.query(ADD_ATTEMPT, [id, tookMs])
    }
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.clock.install()
    const isFollowed = Promise.withResolvers<void>()
    await page.routeWebSocket('**/graphql', async (socket) => {
      await isFollowed.promise
      socket.connectToServer()
    })
    await page.goto(at('webhooks/deliveries'))
    await signIn(page, email)
    const day = page.getByRole('region', { name: 'Last 24 hours' })
    const figures = async () => (await day.locator('.tile').allInnerTexts()).map((text) => text.split(/\n+/))
    const ended = [
      ['Delivered', '2', '66.7% of those that ended'],
      ['Failed', '1', 'no attempt follows'],
    ]
    await expect
      .poll(figures)
      .toEqual([
        ...ended,
        ['Under way', '0', 'first attempts and retries'],
        ['Median attempt', '300 ms', 'of 3 attempts'],
      ])
    // No message reports changes from before the subscription.
    await db.pool.query(ADD_DELIVERY, [newId('msg'), account, newId('job')])
    isFollowed.resolve()
    const pending = ahead(page, async () => (await figures())[2])
    await expect.poll(pending).toEqual(['Under way', '1', 'first attempts and retries'])
    expect(await flaws(page)).toEqual([])
    await page.getByLabel('Connection: Live').waitFor()
    await db.pool.query(ADD_DELIVERY, [newId('msg'), account, newId('job')])
    notifyAccount(service.runtime, account)
    await expect.poll(pending).toEqual(['Under way', '2', 'first attempts and retries'])
    expect([(await figures()).slice(0, 2), complaints]).toEqual([ended, []])
    await context.close()
  })

  test('the list of deliveries stays where it is as the figures above it come', async () => {
    const { service, owner, account, at } = opened()
    await service.runtime.db.pool.query(ADD_ENDED, [newId('msg'), account, newId('job'), 'succeeded', 'succeeded'])
    const { page, complaints } = await openPage(owner, service.url)
    const counted = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query WebhookDay')) await counted.promise
      await route.continue()
    })
    await page.goto(at('webhooks/deliveries'))
    await page.locator('tr[data-delivery]').first().waitFor()
    const day = page.getByRole('region', { name: 'Last 24 hours' })
    const place = () => page.getByRole('heading', { name: 'Last 30 days' }).boundingBox()
    const before = await place()
    expect(await day.locator('.skeletons').count()).toBe(1)
    counted.resolve()
    await day.locator('.skeletons').waitFor({ state: 'detached' })
    expect([await place(), complaints]).toEqual([before, []])
    await page.close()
  })

  test('the last 24 hours move on where nothing is delivered', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.clock.install()
    // A socket that comes back would have all asked again.
    await page.routeWebSocket('**/graphql', () => {})
    const from: number[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('query WebhookDay('))
        from.push(Date.parse(request.postDataJSON().variables.createdAt.from))
    })
    await page.goto(at('webhooks/deliveries'))
    await page.getByText('no attempt follows').waitFor()
    expect(from.length).toBe(1)
    await page.clock.runFor(300_000)
    await expect.poll(() => from.length).toBe(2)
    expect([(from[1] ?? 0) - (from[0] ?? 0) >= 300_000, complaints]).toEqual([true, []])
    await page.close()
  })

  test('a list of deliveries that is paused stays as it is, and is as it would be once it is followed again', async () => {
    const { service, owner, account, at } = opened()
    const { pool } = service.runtime.db
    const [id, job] = [newId('msg'), await insertJob(service.runtime.db, account, { endpointKey: 'voice.paused' })]
    await pool.query(ADD_ENDED, [id, account, job, 'failed', 'timeout'])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('webhooks/deliveries?endpoint=voice.paused&live=off'))
    const state = page.locator(`[data-delivery=${id}] .pill`)
    await state.getByText('failed').waitFor()
    await page.getByLabel('Connection: Paused').waitFor()
    await pool.query(BEGIN_AGAIN, [id])
    notifyAccount(service.runtime, account, id)
    // The message of the account's own subscription comes after this one.
    await page.evaluate(() => fetch('/health/live'))
    expect(await state.textContent()).toBe('failed')
    await pressUntil(page, 'l', page.getByRole('button', { name: 'Pause live' }))
    await state.getByText('pending').waitFor()
    await page.waitForURL(at('webhooks/deliveries?endpoint=voice.paused'))
    expect(complaints).toEqual([])
    await page.close()
  })

  test('what verifies deliveries is shown in the language that is chosen, and copied as it is shown', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await owner.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
    await page.goto(at('webhooks'))
    const card = page.getByRole('region', { name: 'Verify what arrives' })
    await card.getByText("import { createHmac, timingSafeEqual } from 'node:crypto'").waitFor()
    expect(await flaws(page)).toEqual([])
    for (const [language, file] of [
      ['Python', 'verify.py'],
      ['sh', 'verify.sh'],
      ['TypeScript', 'verify.ts'],
    ] as const) {
      await card.getByText(language, { exact: true }).click()
      await card.getByTitle(`Copy ${file}`).click()
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe(await readFile(new URL(`../../../../examples/webhooks/${file}`, import.meta.url), 'utf8'))
    }
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('Not allowed', 'NotAllowedError'))
    })
    await card.getByTitle('Copy verify.ts').click()
    await page.getByText('The browser refused to copy: select the text and copy it yourself.').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('deliveries are named by their jobs, in lists, on their pages and in the titles of these', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const endpointKey = ownName('voice.named')
    const add = async (kind: string, job: string): Promise<string> => {
      const id = newId('msg')
      await db.pool.query(ADD_ENDED, [id, account, job, 'failed', 'timeout'])
      await db.pool.query('update webhook_delivery set kind = $2::webhook_delivery_kind where id = $1', [id, kind])
      return id
    }
    const inputs = { text: 'Der Leuchtturm war dunkel.' }
    const jobs = [
      await insertJob(db, account, { endpointKey, inputs, voice: 'aria', language: 'German' }),
      await insertJob(db, account, { endpointKey, inputs: { characters: 12 } }),
    ]
    const [spoken = '', ...others] = [
      await add('job', jobs[0]!),
      await add('job', jobs[1]!),
      await add('job', newId('job')),
      await add('test', newId('job')),
    ]
    const { page, complaints } = await openPage(owner, service.url)
    const nameOf = async (id: string) =>
      (await page.locator(`[data-delivery=${id}] th`).innerText()).split('\n').map((line) => line.trim())
    const names = () => Promise.all([spoken, ...others].map(nameOf))
    const expected = [
      [inputs.text, 'aria · German'],
      [endpointKey, ''],
      ['Deleted job', ''],
      ['Test', 'without a job'],
    ]
    for (const path of ['webhooks', 'webhooks/deliveries']) {
      await page.goto(at(path))
      await page.locator(`[data-delivery=${spoken}]`).waitFor()
      expect((await names()).map(([name, detail]) => [name, detail ?? ''])).toEqual(expected)
      expect(await page.locator('tbody').getByText('…').count()).toBe(0)
    }
    expect(await flaws(page, 'deliveries')).toEqual([])
    const link = page.getByRole('link', { name: inputs.text })
    expect([await link.getAttribute('lang'), await link.getAttribute('title')]).toEqual([
      'de',
      `${inputs.text}, ${spoken}`,
    ])
    await link.click()
    await page.getByRole('heading', { level: 1, name: inputs.text }).waitFor()
    expect(await page.title()).toBe(`Delivery: \u2068${inputs.text}\u2069 · Sonant`)
    await page.getByRole('button', { name: `Copy ${spoken}` }).waitFor()
    expect(await flaws(page, 'delivery')).toEqual([])
    await page.getByRole('link', { name: inputs.text }).click()
    await page.waitForURL(at(`jobs/${jobs[0]}`))
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the page of a delivery counts down to its next attempt', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const id = newId('msg')
    const job = await insertJob(db, account, { endpointKey: 'voice.counted_down' })
    await db.pool.query(ADD_ENDED, [id, account, job, 'failed', 'timeout'])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('webhooks/deliveries?endpoint=voice.counted_down'))
    await page.locator(`[data-delivery=${id}] a`).first().click()
    await page.getByRole('heading', { name: 'Attempts' }).waitFor()
    const next = page.locator('.facts div').filter({ hasText: 'Next attempt' }).locator('dd')
    expect(await next.textContent()).toBe('none')
    await db.pool.query(WAITS_AGAIN, [id])
    await page.reload()
    await next.getByText(/^in [1-5]\d s$/).waitFor()
    const first = await next.textContent()
    await expect.poll(() => next.textContent()).not.toBe(first)
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('the page of a delivery has its attempts by round, what was sent as text, and follows it after its end as well', async () => {
    const { service, owner, account, at } = opened()
    const { pool } = service.runtime.db
    const [id, job] = [newId('msg'), await insertJob(service.runtime.db, account, { endpointKey: 'voice.rounds' })]
    await pool.query(ADD_ENDED, [id, account, job, 'failed', 'timeout'])
    for (const [round, number] of [
      [1, 1],
      [1, 2],
      [2, 1],
    ])
      await pool.query(ADD_ROUND, [id, round, number])
    const { page, complaints } = await openPage(owner, service.url)
    const sent = page.getByText('What was sent')
    await page.goto(at(`webhooks/deliveries/${id}`))
    await page.getByRole('region', { name: 'Round 2, sent again by hand' }).getByText('Attempt 1 ·').waitFor()
    await page.getByRole('region', { name: 'Round 1' }).getByText('Attempt 2 ·').waitFor()
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'Round 2, sent again by hand',
      'Round 1',
    ])
    await sent.click()
    await page.getByText('It is no longer kept').waitFor()
    await pool.query(SENT, [id, Buffer.from(`{"text":"<b id=theirs>bold</b>"}`)])
    await page.reload()
    await sent.click()
    await page.getByText('{"text":"<b id=theirs>bold</b>"}').waitFor()
    await page.getByText(`webhook-id: ${id}`).waitFor()
    await page.getByTitle('Copy the body').waitFor()
    expect([await page.locator('#theirs').count(), await flaws(page)]).toEqual([0, []])
    await page.getByLabel('Connection: Live').waitFor()
    await page.locator('.card .pill', { hasText: 'failed' }).first().waitFor()
    await pool.query(BEGIN_AGAIN, [id])
    notifyAccount(service.runtime, account, id)
    await page.locator('.pill', { hasText: 'pending' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a URL is saved at once, but while deliveries are under way once it is known that they keep theirs', async () => {
    const { service, browser, at } = opened()
    const { db } = service.runtime
    const account = await service.createAccount()
    const email = ownEmail('mover')
    await createUser(service.runtime.as({ kind: 'system' }), { account, email, ...OWNER })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('webhooks'))
    await signIn(page, email)
    const urlOf = async () =>
      (await db.pool.query('select webhook_url from account where id = $1', [account])).rows[0].webhook_url
    const save = async (url: string): Promise<void> => {
      await page.getByLabel('URL', { exact: true }).fill(url)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
    }
    const latest = page.getByRole('region', { name: 'Latest deliveries' })
    await page.getByText('When a job ends, Sonant posts its result to this URL').waitFor()
    await latest.getByText('Save a URL to send a test.').waitFor()
    await page.getByText('A secret is shown once, when it is made').waitFor()
    expect(await latest.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true)
    await save('https://hooks.example.com/one')
    await page.getByText('The webhook URL is saved.').waitFor()
    await page.getByText('Sonant posts its result').waitFor({ state: 'detached' })
    await latest.getByText('Save a URL to send a test.').waitFor({ state: 'detached' })
    await expect.poll(() => latest.getByRole('button', { name: 'Send a test' }).isEnabled()).toBe(true)
    expect([await urlOf(), await page.getByRole('dialog').count()]).toEqual(['https://hooks.example.com/one', 0])
    await page.getByRole('button', { name: 'Clear', exact: true }).waitFor()
    await db.pool.query(ADD_DELIVERY, [newId('msg'), account, newId('job')])
    await save('https://hooks.example.com/two')
    const dialog = page.getByRole('dialog', { name: 'Save the webhook URL?' })
    await dialog.getByText('1 delivery is under way. Each keeps the URL that it has, retries included.').waitFor()
    expect([await urlOf(), await flaws(page)]).toEqual(['https://hooks.example.com/one', []])
    await dialog.getByRole('button', { name: 'Save the URL' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect([await urlOf(), complaints]).toEqual(['https://hooks.example.com/two', []])
    await context.close()
  })

  test('the secrets say that the service cannot read them, and a rotation says until when the present one signs', async () => {
    const { service, browser, at } = opened()
    const account = await service.createAccount()
    const email = ownEmail('unread')
    await createUser(service.runtime.as({ kind: 'system' }), { account, email, ...OWNER })
    const context = await browser.newContext({ locale: 'en', timezoneId: 'UTC' })
    const { page, complaints } = await openPage(context, service.url)
    const notice = page.getByText('The service cannot decrypt them')
    await page.goto(at('webhooks'))
    await signIn(page, email)
    await page.getByText('Nothing has been delivered').waitFor()
    expect(await notice.count()).toBe(0)
    const values = [newId('msg'), account, newId('job'), 'failed', 'secret_unreadable']
    await service.runtime.db.pool.query(ADD_ENDED, values)
    await page.reload()
    await notice.waitFor()
    const tomorrow = () =>
      new Date(Date.now() + DAY_MS).toLocaleDateString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
    const before = tomorrow()
    await page.getByRole('button', { name: 'Rotate' }).click()
    const until = (await page.getByText('The present one signs until').textContent())?.replaceAll(',', '') ?? ''
    // Midnight may have come in between.
    expect([before, tomorrow()].some((day) => until.includes(day))).toBe(true)
    await page.getByText('One more rotation before then stops it at once.').waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await context.close()
  })

  test('the deliveries of a page cost two long reads and each look at their day one, and the failed ones among them are counted at a press', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const job = await insertJob(db, account, { endpointKey: 'voice.read' })
    await db.pool.query(ADD_ENDED, [newId('msg'), account, job, 'succeeded', 'succeeded'])
    const { page, complaints } = await openPage(owner, service.url)
    // Each long read counts against its owner's share.
    const reads = vi.spyOn(db.readShares, 'acquire')
    const longReads = () => reads.mock.calls.filter(([reader]) => reader === account).length
    const asked: string[] = []
    // Once more as soon as the account is followed.
    let days = 0
    page.on('request', (request) => {
      asked.push(/query \w*Deliveries\(/.exec(request.postData() ?? '')?.[0] ?? '')
      if (request.postData()?.includes('query WebhookDay(')) days++
    })
    try {
      await page.goto(at('webhooks/deliveries?endpoint=voice.read'))
      await page.getByText('1 delivery', { exact: true }).waitFor()
      await page.getByText('no attempt follows').waitFor()
      await page.getByLabel('Connection: Live').waitFor()
      // A read is asked for before it is counted.
      const costs = () => [longReads() - days, asked.filter((query) => query !== '')]
      await expect.poll(costs).toEqual([2, ['query Deliveries(']])
      await page.getByRole('button', { name: 'Send matching failed again' }).click()
      const dialog = page.getByRole('dialog', { name: 'Send matching failed deliveries again?' })
      await dialog.getByText('There is none.').waitFor()
      expect(await dialog.getByRole('button', { name: 'Send again' }).isDisabled()).toBe(true)
      await expect.poll(costs).toEqual([4, ['query Deliveries(', 'query FailedDeliveries(']])
      expect([await flaws(page), complaints]).toEqual([[], []])
    } finally {
      reads.mockRestore()
    }
    await page.close()
  })

  test('selected deliveries are sent again by keyboard, and what is under way by then is refused in words', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const begun = Date.now()
    const endpointKey = ownName('voice.chosen')
    const ids: string[] = []
    for (const [state, outcome] of [
      ['failed', 'status_508'],
      ['succeeded', 'succeeded'],
      ['failed', 'timeout'],
      ['failed', 'timeout'],
    ]) {
      // Ids of the same millisecond would be in any order.
      ids.unshift(newId('msg', new Date(begun + ids.length)))
      const job = await insertJob(db, account, { endpointKey })
      await db.pool.query(ADD_ENDED, [ids[0], account, job, state, outcome])
    }
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`webhooks/deliveries?endpoint=${endpointKey}`))
    await page.locator('tr[data-delivery]').nth(3).waitFor()
    await pressUntil(page, 'j', page.locator('tr[data-delivery]:focus-within'))
    // To the first row, however often the key was pressed until it was heard.
    for (const key of ['k', 'k', 'k', 'x', 'j', 'x']) await page.keyboard.press(key)
    const bar = page.getByRole('region', { name: 'Selected deliveries' })
    await bar.getByText('2 selected').waitFor()
    await page.getByLabel(`Select ${ids[2]}`).focus()
    await page.keyboard.press('Space')
    await bar.getByRole('button', { name: 'Send 3 again' }).waitFor()
    expect(await flaws(page)).toEqual([])
    await bar.getByRole('button', { name: 'Send 3 again' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Send 3 deliveries again?' })
    await dialog.waitFor()
    await db.pool.query(BEGIN_AGAIN, [ids[1]])
    await page.keyboard.press('Control+Enter')
    await page.getByText('2 queued, 1 refused.').waitFor()
    const refused = page.getByRole('list', { name: 'Refused' }).getByRole('listitem')
    await refused.getByText('Wait until this delivery has succeeded or failed.').waitFor()
    expect(await refused.getByRole('link').getAttribute('href')).toContain(`/webhooks/deliveries/${ids[1]}`)
    await dialog.waitFor({ state: 'detached' })
    await bar.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('tbody .pill', { hasText: 'pending' }).count()).toBe(3)
    expect((await db.pool.query(STATES_OF, [ids])).rows.map(({ state }) => state).sort()).toEqual([
      'failed',
      'pending',
      'pending',
      'pending',
    ])
    await page.getByLabel('Select all on this page').check()
    await bar.getByRole('button', { name: 'Send 1 again' }).click()
    await page
      .getByRole('dialog', { name: 'Send 1 delivery again?' })
      .getByText('3 more selected, still under way')
      .waitFor()
    await page.keyboard.press('Escape')
    await bar.getByRole('button', { name: 'Clear' }).click()
    await bar.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('of more failed deliveries than are sent at once, the next press sends those behind the last one', async () => {
    const { service, owner, account, at } = opened()
    const ids = Array.from({ length: 201 }, () => newId('msg')).sort()
    await service.runtime.db.pool.query("delete from webhook_delivery where outcome = 'status_507'")
    await service.runtime.db.pool.query(ADD_FAILED, [account, newId('job'), ids])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('webhooks/deliveries?outcome=status_507'))
    await page.getByRole('button', { name: 'Send matching failed again' }).click()
    await page.getByRole('dialog', { name: 'Send the oldest 200 of 201 matching failed deliveries again?' }).waitFor()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByText('200 sent again. There are more: press again.').waitFor()
    await page.getByRole('button', { name: 'Send the next ones again' }).click()
    await page.getByRole('dialog', { name: 'Send the next matching failed deliveries again?' }).waitFor()
    const sent = page.waitForRequest((request) => request.postData()?.includes('mutation RedeliverAll') ?? false)
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    expect((await sent).postDataJSON().variables.after).toBe(ids[199])
    await page.getByText('1 sent again.', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
}
