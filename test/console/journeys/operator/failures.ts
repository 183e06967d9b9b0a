import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const HOUR_MS = 3_600_000
const CAUSE = 'the engine at http://gpu:8094 answered <b>507</b>'

/** Why jobs failed, over time. */
export function failureJourneys(opened: () => OpenedConsole): void {
  test('failures are grouped with their true causes and trend over the range of the address, and lead to the jobs', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const other = await service.createAccount()
    const endpointKey = ownName('voice.trend')
    // One time for all: an hour may end while they are made.
    const now = Date.now()
    const fail = (whose: string, hours: number, cause: string) =>
      insertJob(db, whose, {
        id: idAt(new Date(now - hours * HOUR_MS)),
        status: 'failed',
        endpointKey,
        errorCode: 'PROVIDER_BUSY',
        cause,
      })
    for (const [whose, hours, cause] of [
      [account, 1, CAUSE],
      [other, 5, CAUSE],
      [other, 5, 'another one'],
      [other, 50, 'an old one'],
    ] as const)
      await fail(whose, hours, cause)
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('operator'))
    await page.getByRole('link', { name: 'With their trend' }).click()
    await page.waitForURL(at('operator/failures'))
    const title = `Provider busy of ${endpointKey}`
    const card = page.getByRole('region', { name: title })
    await card.getByText('3 jobs').waitFor()
    // The trend and the causes have an answer each.
    await expect
      .poll(() => card.locator('.table-box tbody tr').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^the engine at http:\/\/gpu:8094 answered <b>507<\/b>\s+2\s/),
        expect.stringMatching(/^another one\s+1\s/),
      ])
    expect(await card.locator('.sparkline path:not(.ground)').getAttribute('d')).toMatch(/^M[^M]+M[^M]+$/)
    await card.getByText('As a table').click()
    const table = page.getByLabel(`${title}, as a table`)
    await table.waitFor()
    const shown = await table.locator('tbody td:last-child').allInnerTexts()
    expect(shown.filter((text) => text !== '0').toSorted()).toEqual(['1', '2'])
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: `Download as CSV: ${title}` }).click()
    expect((await file).suggestedFilename()).toBe(`provider-busy-of-${endpointKey.replace(/[._]/g, '-')}.csv`)
    const lines = (await readFile(await (await file).path(), 'utf8')).split('\r\n')
    expect([lines[0], lines.length - 2]).toEqual(['\uFEFFfrom,Failed jobs', shown.length])
    expect(await flaws(page)).toEqual([])
    await page.getByText('7 days').click()
    await page.waitForURL(/range=7d/)
    await card.getByText('4 jobs').waitFor()
    await card.getByText('an old one').waitFor()
    await card.getByRole('link', { name: 'Provider busy' }).click()
    await page.waitForURL(at(`operator/jobs?error=provider_busy&endpoint=${endpointKey}&window=7d`))
    await expect.poll(() => page.locator('tbody tr').count()).toBe(4)
    await page.goBack()
    await card.getByText('4 jobs').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each([
    ['WindowCauses', 'Its causes are not counted yet.', 'Failed jobs'],
    ['FailureTrend', 'half a cause', null],
  ])('failures are shown without the answer to %s', async (name, text, tile) => {
    const { service, owner, account, at } = opened()
    await insertJob(service.runtime.db, account, {
      status: 'failed',
      endpointKey: 'voice.half',
      errorCode: 'PROVIDER_BUSY',
      cause: 'half a cause',
    })
    const { page } = await openPage(owner, service.url)
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON().query?.startsWith(`query ${name}(`)
        ? route.fulfill({ json: { errors: [{ message: 'no', extensions: { code: 'INVALID_REQUEST' } }] } })
        : route.fallback(),
    )
    await page.goto(at('operator/failures'))
    await page.getByRole('region', { name: 'Provider busy of voice.half' }).getByText(text).waitFor()
    expect(await page.locator('.tile', { hasText: 'Failed jobs' }).count()).toBe(tile === null ? 0 : 1)
    await page.close()
  })

  test('the 50 largest groups are shown, and the others counted', async () => {
    const { owner, service, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString()
    const trend = Array.from({ length: 53 }, (_, nth) => ({
      hour,
      day: null,
      errorCode: 'PROVIDER_BUSY',
      endpointKey: `voice.many_${nth}`,
      jobs: 100 - nth,
    }))
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON().query?.startsWith('query FailureTrend(')
        ? route.fulfill({ json: { data: { trend } } })
        : route.fallback(),
    )
    await page.goto(at('operator/failures?from=x'))
    await page.getByText('does not exist any more: from.').waitFor()
    await page.getByText('3 more, by error and endpoint, have 147 failed jobs.').waitFor()
    expect(await page.getByRole('region', { name: /^Provider busy of voice\.many_/ }).count()).toBe(50)
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })
}
