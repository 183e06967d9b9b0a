import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { notifyAccount } from '../../../../src/accounts/notify-account.ts'
import { deleteApiKey } from '../../../../src/api-keys/change-api-key.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import { type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

const DAY_MS = 86_400_000
const ADD_ENTRY = `with entry as (
    insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, $2, $3, $4, now() - $5 * interval '1 day') returning amount
  ) update account set credits = credits + (select amount from entry) where id = $1`
const NAME_KEY = 'update api_key set name = $2 where id = $1'
const LIMIT = 'update account set monthly_limit = $2 where id = $1'

/** Journeys through usage, and through spent and granted credits. */
export function creditsJourneys(opened: () => OpenedConsole): void {
  test('an owner sees what the month has cost, and who and what used it, as a table, as a file and as jobs', async () => {
    const { service, browser, at } = opened()
    const { db } = service.runtime
    const account = await service.createAccount(0n)
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('thrift')
    const { id: userId } = await createUser(system, {
      account,
      email,
      password: 'correct horse battery',
      role: 'owner',
    })
    const [{ apiKeyId: site }, { apiKeyId: gone }] = [
      await service.createKey(account),
      await service.createKey(account),
    ]
    await db.pool.query(NAME_KEY, [site, 'Website'])
    await db.pool.query(NAME_KEY, [gone, 'Old CRM'])
    await db.pool.query(ADD_ENTRY, [account, 'grant', 9000, null, 20])
    for (const [cost, days, job] of [
      [1200, 20, { apiKeyId: site, tags: ['book'] }],
      [70, 3, { apiKeyId: gone, tags: ['book', 'draft'], status: 'failed' }],
      [50, 3, { apiKeyId: gone }],
      [30, 2, { userId, endpointKey: 'voice.other' }],
    ] as const) {
      const id = await insertJob(db, account, {
        ...{ id: idAt(new Date(Date.now() - days * DAY_MS)), cost: String(cost), inputs: { text: 'Spoken words' } },
        ...job,
      })
      await db.pool.query(ADD_ENTRY, [account, 'charge', -cost, id, days])
      if ('status' in job) await db.pool.query(ADD_ENTRY, [account, 'refund', cost, id, days])
    }
    await deleteApiKey(system, { apiKeyId: gone })
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('credits'))
    await signIn(page, email)
    const rows = page.locator('.usage tbody tr')
    const shown = () =>
      rows.evaluateAll((lines) =>
        lines.map((line) => [0, 1, 3].map((cell) => line.children[cell]?.textContent).join(' ')),
      )
    await expect
      .poll(shown)
      .toEqual(['Website 1,200 1', '\u2068Old CRM\u2069, deleted 50 2', 'This console, without a key 30 1'])
    await page.locator('.usage canvas').waitFor()
    expect(await flaws(page)).toEqual([])
    const group = (name: string) => page.locator('.usage .segment').getByText(name, { exact: true })
    await group('Person').click()
    await expect.poll(shown).toEqual(['API keys and deleted jobs 1,250 3', `${email} 30 1`])
    await page.waitForURL(at('credits?by=person'))
    await group('Tag').click()
    await expect.poll(shown).toEqual(['book 1,200 2', 'Without a tag 80 2', 'draft 0 1'])
    await page.getByText('A job with two tags counts in both.').waitFor()
    await group('Endpoint').click()
    await expect.poll(shown).toEqual(['voice.tts 1,250 3', 'voice.other 30 1'])
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV: Usage' }).click()
    const lines = (await readFile(await (await file).path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines.slice(1)).toEqual(['voice.tts,voice.tts,1250,3,36,0', 'voice.other,voice.other,30,1,12,0'])
    await page.getByLabel('Time', { exact: true }).selectOption('Last 7 days')
    await expect.poll(shown).toEqual(['voice.tts 50 2', 'voice.other 30 1'])
    await page.waitForURL(at('credits?by=endpoint&window=7d'))
    const pills = page.getByRole('table', { name: 'Ledger' }).locator('tbody .pill')
    await expect.poll(() => pills.allTextContents()).toEqual(['Charge', 'Charge', 'Refund', 'Charge'])
    await page.getByRole('table', { name: 'Ledger' }).getByText('Spoken words').first().waitFor()
    await page.getByLabel('Any kind').selectOption('Added')
    await page.getByText('No entry matches').waitFor()
    await page.goBack()
    await group('Person').click()
    await page.getByRole('link', { name: email }).click()
    await page.waitForURL((url) => url.href.startsWith(at('jobs?')) && url.searchParams.get('user') === userId)
    await page.getByRole('button', { name: `person ${email} Remove this filter` }).waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a monthly limit is warned of from 80 % on, and says what is refused until when once it is used up', async () => {
    const { service, browser, at } = opened()
    const { db } = service.runtime
    const account = await service.createAccount(1000n)
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('limited')
    await createUser(system, { account, email, password: 'correct horse battery', role: 'owner' })
    const { apiKeyId } = await service.createKey(account)
    await db.pool.query('update api_key set monthly_limit = 85 where id = $1', [apiKeyId])
    await insertJob(db, account, { cost: '85', apiKeyId })
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('credits'))
    await signIn(page, email)
    await page.getByText('Nothing was used in this time.').or(page.locator('.usage tbody tr')).first().waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
    for (const [limit, said] of [
      [100, /^85% of the monthly limit of 100 credits is used\. Jobs beyond it are refused until \w+ 1, /],
      [85, /^The monthly limit of 85 credits is used up\. New jobs are refused until \w+ 1, /],
    ] as const) {
      await db.pool.query(LIMIT, [account, limit])
      for (const path of ['', 'credits']) {
        await page.goto(at(path))
        await page.locator('.notice', { hasText: said }).waitFor()
      }
    }
    expect(await flaws(page)).toEqual([])
    await page.goto(at('keys'))
    await page.getByText('New jobs are refused until').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the ledger says that there are newer entries once the balance has changed, and shows them at a press', async () => {
    const { service, owner, account, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('credits'))
    await page.getByLabel('Connection: Live').waitFor()
    await page.locator('tbody .pill').first().waitFor()
    const newer = page.getByRole('button', { name: 'Newer entries' })
    expect(await newer.count()).toBe(0)
    await service.runtime.db.pool.query(ADD_ENTRY, [account, 'grant', 4321, null, 0])
    notifyAccount(service.runtime, account)
    await newer.click()
    await page.getByText('+4,321').first().waitFor()
    await newer.waitFor({ state: 'detached' })
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })
}
