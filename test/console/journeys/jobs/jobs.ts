import { expect, test } from 'vitest'
import { flaws, openPage, pressUntil } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

const FIFTY = 50

const TIME_OUT = "update job set error_code = 'JOB_TIMEOUT' where account_id = $1 and endpoint_key = 'voice.fifty'"

/** Steering the jobs by keyboard, many at once, and to one by its id. */
export function jobsJourneys(opened: () => OpenedConsole): void {
  test('rows are walked, selected and opened by letters, and a job leads to its neighbours, its retry and its cancellation', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const start = Date.now()
    const ids: string[] = []
    for (let made = 0; made < 3; made++) {
      // Ids of one millisecond would be in any order.
      const id = idAt(new Date(start + made))
      ids.unshift(
        await insertJob(db, account, { id, status: 'failed', errorCode: 'PROVIDER_BUSY', inputs: { text: 'Again.' } }),
      )
    }
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('jobs?error=provider_busy'))
    // Not those that stand for rows that are still loading.
    await page.locator('tbody tr[data-job]').nth(2).waitFor()
    await pressUntil(page, 'j', page.locator('tbody tr[data-job]:focus-within'))
    // To the first row, however often the key was pressed until it was heard; then one down, up and down.
    for (const key of ['k', 'k', 'j', 'k', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('1 selected').waitFor()
    expect(await page.getByLabel(`Select ${ids[1]}`).isChecked()).toBe(true)
    await page.keyboard.press('l')
    await page.waitForURL(/live=off/)
    await page.keyboard.press('Enter')
    await page.waitForURL(at(`jobs/${ids[1]}?error=provider_busy`))
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.waitForFunction(
      () => document.querySelector<HTMLButtonElement>('[title="Next job (j)"]')?.disabled === false,
    )
    await page.keyboard.press('j')
    await page.waitForURL(at(`jobs/${ids[2]}?error=provider_busy`))
    // The address is the next job's before the page is.
    await page.locator('.job-head').getByText(ids[2]!.slice(-6)).waitFor()
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    await pressUntil(page, 'r', page.getByRole('dialog', { name: 'Retry this job?' }))
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    const released = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      await released.promise
      await route.continue()
    })
    await page.goBack()
    await page.waitForURL(/jobs\?.*error=provider_busy/)
    await page.getByLabel('Words of the text, or a job id').fill(` ${ids[0]} `)
    released.resolve()
    await page.locator('tbody tr[data-job]').nth(2).waitFor()
    // The list that Back leads to takes no focus out of a field.
    await page.keyboard.press('Enter')
    await page.waitForURL(at(`jobs/${ids[0]}`))
    const waiting = await insertJob(db, account, { status: 'queued', endpointKey: 'voice.unserved' })
    await page.goto(at(`jobs/${waiting}`))
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await pressUntil(page, 'c', page.getByRole('dialog', { name: 'Cancel this job?' }))
    await page.getByRole('button', { name: 'Go back' }).focus()
    await page.keyboard.press('Control+Enter')
    await page.getByText('The job was cancelled: submit it again if that was not intended.').waitFor()
    // The subscription may say it before the cancellation is answered.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await page.goto(at('jobs/job_00000000000000000000000000'))
    await page.getByText('No such job').waitFor()
    expect(await page.getByRole('button', { name: /Try again|Find/ }).count()).toBe(0)
    await page.goto(at('none'))
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('a menu that a press of the right button has closed swallows no click after it', async () => {
    const { owner, service, account, at } = opened()
    const id = await insertJob(service.runtime.db, account, { status: 'failed' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs?search=${id}`))
    const cell = page.locator('tbody td:nth-child(3)').first()
    await cell.waitFor()
    await page.getByText('Export').click()
    await cell.click({ button: 'right' })
    expect(await page.locator('.drop[open]').count()).toBe(0)
    // As a screen reader presses: without a pointer.
    await cell.dispatchEvent('click')
    await page.waitForURL(new RegExp(`/jobs/${id}`))
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a press of the middle button opens what a menu links to in another tab, and closes, presses and swallows nothing else', async () => {
    const { owner, service, account, at } = opened()
    const id = await insertJob(service.runtime.db, account, { status: 'failed' })
    const { page, complaints } = await openPage(owner, service.url)
    const middle = { button: 'middle' } as const
    await page.goto(at(`jobs?search=${id}`))
    const cell = page.locator('tbody td:nth-child(3)').first()
    await cell.waitFor()
    const opener = page.locator('.account-button')
    await opener.click(middle)
    expect(await page.locator('.menu').count()).toBe(0)
    await opener.click()
    const tab = owner.waitForEvent('page')
    await page.getByRole('link', { name: 'Profile' }).click(middle)
    await (await tab).waitForURL(at('profile'))
    await (await tab).close()
    for (const target of [page.getByRole('button', { name: 'Sign out' }), opener]) await target.click(middle)
    expect([await page.locator('.menu').count(), page.url()]).toEqual([1, at(`jobs?search=${id}`)])
    await page.getByText('Export').click(middle)
    expect([await page.locator('.menu').count(), await page.locator('.drop[open]').count()]).toEqual([0, 0])
    await page.getByText('Export').click()
    await page.getByText('Export').click(middle)
    expect(await page.locator('.drop[open]').count()).toBe(1)
    await cell.click(middle)
    expect(await page.locator('.drop[open]').count()).toBe(0)
    // As a screen reader presses: without a pointer.
    await cell.dispatchEvent('click')
    await page.waitForURL(new RegExp(`/jobs/${id}`))
    expect([owner.pages().filter((one) => one.url().includes('profile')).length, complaints]).toEqual([0, []])
    await page.close()
  })

  test('the tabs of the states stand in one line on a phone, with the chosen one in sight', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 360, height: 740 })
    for (const [path, chosen] of [
      ['jobs', 'All'],
      ['jobs?status=failed', 'Failed'],
    ] as const) {
      await page.goto(at(path))
      const tabs = page.locator('.toolbar .segment')
      await tabs.first().waitFor()
      const tops = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top))
      expect([tops.length, new Set(tops).size]).toEqual([5, 1])
      const isInSight = async () => {
        const { x, width } = (await tabs.filter({ hasText: chosen }).boundingBox()) ?? { x: -1, width: 0 }
        return [path, x >= 0, x + width <= 360]
      }
      await expect.poll(isInSight).toEqual([path, true, true])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    }
    expect(complaints).toEqual([])
    await page.close()
  })

  test('fifty waiting jobs are cancelled on a phone by a tick, two buttons and a confirmation', async () => {
    const { service, owner, account, at } = opened()
    for (let made = 0; made < FIFTY; made++)
      await insertJob(service.runtime.db, account, {
        status: 'queued',
        endpointKey: 'voice.fifty',
        inputs: { text: 'Again.' },
      })
    const { page, complaints } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 360, height: 740 })
    for (const path of ['credits', 'jobs?endpoint=voice.fifty']) {
      await page.goto(at(path))
      await page.getByText('Export').click()
      const isInSight = async () => {
        const { x, width } = (await page.locator('.drop-body').boundingBox()) ?? { x: -1, width: 0 }
        return [path, x >= 0, x + width <= 360]
      }
      await expect.poll(isInSight).toEqual([path, true, true])
      await page.keyboard.press('Escape')
    }
    await page.locator('tbody input').first().check()
    await page.getByRole('button', { name: 'All of this page' }).click()
    await page.getByRole('button', { name: `Cancel ${FIFTY}` }).click()
    await page.getByRole('button', { name: 'Cancel jobs' }).click()
    await page.getByText(`${FIFTY} cancelled.`).waitFor()
    await expect.poll(() => page.locator('tbody').getByText('cancelled').count()).toBe(FIFTY)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText(`${FIFTY} cancelled.`).waitFor({ state: 'detached' })
    await page.locator('tbody input').first().check()
    expect(await page.getByRole('button', { name: 'Retry 0' }).isDisabled()).toBe(true)
    await service.runtime.db.pool.query(TIME_OUT, [account])
    await page.reload()
    await page.locator('tbody input').first().check()
    await page.getByRole('button', { name: 'Retry 1' }).click()
    await page.getByRole('button', { name: 'Retry jobs' }).click()
    await page.getByText(/^(1 retried|0 retried, 1 refused)/).waitFor()
    await page.getByRole('button', { name: /endpoint voice.fifty/ }).click()
    await page.waitForURL(at('jobs'))
    expect(complaints).toEqual([])
    await page.close()
  })
}
