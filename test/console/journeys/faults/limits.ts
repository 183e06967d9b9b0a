import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

/** Requests that the service refuses because there were too many. */
export function limitJourneys(opened: () => OpenedConsole): void {
  test('a list that the service limits says the seconds left, and is asked for once they are over, after a minute at the latest', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account)
    const { page, complaints } = await openPage(owner, service.url, /429/)
    // The page's clock goes on while the page is looked at.
    const asked = await limit(page, 'query Jobs(', [45, 900])
    await page.clock.install()
    await page.goto(at('jobs'))
    const message = page.getByText(
      /^Wait for the seconds in Retry-After before the next request. Trying again in \d+ s.$/,
    )
    await message.waitFor()
    const first = await message.textContent()
    await expect.poll(() => message.textContent()).not.toBe(first)
    expect([await page.getByRole('button', { name: 'Try again' }).count(), await flaws(page), asked()]).toEqual([
      0,
      [],
      1,
    ])
    await page.clock.fastForward(46_000)
    await page.getByText(/in (60|5\d) s\.$/).waitFor()
    expect(asked()).toBe(2)
    await page.clock.fastForward(61_000)
    await page.locator(`[data-job=${id}]`).waitFor()
    expect([asked(), await message.count(), complaints]).toEqual([3, 0, []])
    await page.close()
  })

  test('a list that is not read in time offers a shorter one, and older data say as of when they are', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account)
    const { page, complaints } = await openPage(owner, service.url, /503/)
    await page.clock.install()
    await page.goto(at('jobs'))
    await page.locator(`[data-job=${id}]`).waitFor()
    const list = await withhold(page, 'query Jobs(')
    await page.getByLabel('Newest first').selectOption('Longest first')
    await page.getByText(/ The data below is as of \d\d:\d\d:\d\d\./).waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: 'Choose a shorter time' }).click()
    await page.waitForURL(at('jobs?sort=longest&window=24h'))
    await page.getByText('The list may be too long').waitFor({ state: 'detached' })
    list.restore()
    // It is asked for again by itself, perhaps before a press.
    await page.clock.fastForward(11_000)
    await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a page that the service limits at its door loads once the seconds are over', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, /429/)
    const asked = await limit(page, 'query Session{', [45])
    await page.clock.install()
    await page.goto(at('jobs'))
    await page.getByText('before the next request. Trying again').waitFor()
    expect([asked(), await flaws(page)]).toEqual([1, []])
    await page.clock.fastForward(46_000)
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    expect([asked(), complaints]).toEqual([2, []])
    await page.close()
  })

  test('a page that the service limits at its door loads after a second of the clock on the wall, and after a minute of any longer pause', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, /429/)
    const asked = await limit(page, 'query Session{', [1, 900])
    await page.goto(at('credits'))
    await page.getByRole('heading', { name: 'Not reached' }).waitFor()
    await expect.poll(asked).toBe(2)
    await page.close()
    const { page: slow, complaints: others } = await openPage(owner, service.url, /429/)
    const askedAgain = await limit(slow, 'query Session{', [900])
    await slow.clock.install()
    await slow.goto(at('credits'))
    await slow.getByRole('heading', { name: 'Not reached' }).waitFor()
    await slow.clock.runFor(61_000)
    await slow.getByRole('heading', { name: 'Usage and credits' }).waitFor()
    expect([askedAgain(), complaints, others]).toEqual([2, [], []])
    await slow.close()
  })

  test('a change that the service limits keeps its form, and its button is off for the seconds that are counted down', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, /429/)
    const asked = await limit(page, 'mutation CreateKey(', [45])
    await page.clock.install()
    await page.goto(at('keys'))
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('limited')
    const create = page.getByRole('button', { name: 'Create', exact: true })
    await create.click()
    const message = page.getByText(/before the next request. Try again in \d+ s.$/)
    await message.waitFor()
    await name.press('Enter')
    expect([await create.isDisabled(), asked(), await flaws(page)]).toEqual([true, 1, []])
    await page.clock.fastForward(46_000)
    await message.waitFor({ state: 'detached' })
    expect([await name.inputValue(), await page.locator('[role=alert]').count()]).toEqual(['limited', 0])
    await create.click()
    await page.locator('.secret code').waitFor()
    expect([asked(), complaints]).toEqual([2, []])
    await page.close()
  })

  test('a text that the service limits is not spoken by the keys either until the seconds are over', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, /429/)
    const asked = await limit(page, 'mutation Speak(', [90])
    await page.clock.install()
    await page.goto(at('playground?endpoint=tts'))
    await page.evaluate(() => {
      const [set, clear] = [setInterval, clearInterval]
      const seconds = new Set<unknown>()
      Object.assign(globalThis, {
        seconds,
        setInterval: (run: () => void, ms: number) => {
          const timer = set(run, ms)
          if (ms === 1000) seconds.add(timer)
          return timer
        },
        clearInterval: (timer: ReturnType<typeof set>) => {
          seconds.delete(timer)
          clear(timer)
        },
      })
    })
    const counts = () => page.evaluate('seconds.size')
    await page.getByLabel('Text', { exact: true }).fill('Once in a while.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('before the next request. Try again').waitFor()
    await page.keyboard.press('Control+Enter')
    expect([await page.getByRole('button', { name: /^Speak/ }).isDisabled(), asked()]).toEqual([true, 1])
    // A question would be asked again by now.
    await page.clock.fastForward(61_000)
    await page.keyboard.press('Control+Enter')
    expect([await page.getByRole('button', { name: /^Speak/ }).isDisabled(), asked()]).toEqual([true, 1])
    expect(await counts()).not.toBe(0)
    await page.clock.fastForward(30_000)
    await expect.poll(counts).toBe(0)
    await page.keyboard.press('Control+Enter')
    await page.locator('.take').first().waitFor()
    expect([asked(), complaints]).toEqual([2, []])
    await page.close()
  })

  test('what is not available is asked for again after pauses that grow, until its page is left, and a change is not', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account)
    const { page, complaints } = await openPage(owner, service.url, /503/)
    const look = await withhold(page, 'query Session{')
    const list = await withhold(page, 'query Jobs(')
    const change = await withhold(page, 'mutation CreateKey(')
    const pause = (seconds: string) =>
      page.getByText(
        new RegExp(`^The service answered with status 503: try again in a moment. Trying again ${seconds}$`),
      )
    await page.clock.install()
    await page.goto(at('jobs'))
    await pause('(in [12] s.|now.)').waitFor()
    look.restore()
    await page.clock.fastForward(11_000)
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await pause('(in [12] s.|now.)').waitFor()
    for (let tries = 0; tries < 3; tries++) {
      const before = list.asked()
      await page.clock.fastForward(11_000)
      await expect.poll(list.asked).toBeGreaterThan(before)
    }
    await pause('in ([3-9]|1\\d) s.').waitFor()
    expect([await page.getByRole('button', { name: 'Try again' }).count(), await flaws(page)]).toEqual([1, []])
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    const asked = list.asked()
    await page.getByRole('textbox', { name: 'Name' }).fill('asked once')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('The service answered with status 503: try again in a moment.', { exact: true }).waitFor()
    await page.clock.fastForward(60_000)
    await settle(page)
    expect([list.asked(), change.asked(), await pause('.*').count()]).toEqual([asked, 1, 0])
    await page.keyboard.press('Escape')
    list.restore()
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.locator(`[data-job=${id}]`).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('what a proxy refuses is shown at once, and asked for again at a press alone', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account)
    const { page, complaints } = await openPage(owner, service.url, /40[34]/)
    const look = await withhold(page, 'query Session{', 403)
    const list = await withhold(page, 'query Jobs(', 404)
    const refusal = (status: number) =>
      page.getByText(
        `Something between this page and the service answered, with status ${status}: try again in a moment, then tell your operator.`,
      )
    const again = page.getByRole('button', { name: 'Try again' })
    await page.clock.install()
    await page.goto(at('jobs'))
    await refusal(403).waitFor()
    await page.clock.fastForward(60_000)
    await settle(page)
    expect([look.asked(), await flaws(page)]).toEqual([1, []])
    look.restore()
    await again.click()
    await refusal(404).waitFor()
    const asked = list.asked()
    await page.clock.fastForward(60_000)
    await settle(page)
    expect([list.asked(), await flaws(page)]).toEqual([asked, []])
    list.restore()
    await again.click()
    await page.locator(`[data-job=${id}]`).waitFor()
    expect([await again.count(), complaints]).toEqual([0, []])
    await page.close()
  })

  test('a screen that cannot be shown says so in its place, tries again at a press, and other screens open', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account)
    const { page, complaints } = await openPage(owner, service.url)
    const list = await withhold(page, 'query Jobs(', 200, { data: { jobs: null } })
    await page.goto(at('jobs'))
    const failed = page.getByRole('alert').filter({ hasText: 'SCREEN_FAILED' })
    await failed.waitFor()
    expect([await page.getByRole('heading', { level: 1 }).textContent(), await flaws(page)]).toEqual(['Not shown', []])
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
    await page.goBack()
    await failed.waitFor()
    list.restore()
    await failed.getByRole('button', { name: 'Try again' }).click()
    await page.locator(`[data-job=${id}]`).waitFor()
    expect(complaints.filter((complaint) => !complaint.includes('TypeError'))).toEqual([])
    await page.close()
  })
}

interface Withheld {
  readonly asked: () => number
  readonly restore: () => void
}

/** Time for a page to ask, in which nothing has to happen. */
async function settle(page: Page): Promise<void> {
  for (let nth = 0; nth < 20; nth++) await page.evaluate(() => fetch('/health/live'))
}

/** Answers an operation as what stands in front of a service does, as though that were not there, until it is restored. */
async function withhold(page: Page, operation: string, status = 503, json?: unknown): Promise<Withheld> {
  let asked = 0
  let isThere = false
  await page.route('**/graphql', (route) => {
    if (!route.request().postData()?.includes(operation)) return route.fallback()
    asked++
    if (isThere) return route.fallback()
    return route.fulfill(json === undefined ? { status, body: `<h1>${status}</h1>` } : { status, json })
  })
  return {
    asked: () => asked,
    restore: () => {
      isThere = true
    },
  }
}

/** Refuses the first requests of an operation as the service does. @returns how often it was asked */
async function limit(page: Page, operation: string, seconds: readonly number[]): Promise<() => number> {
  let asked = 0
  await page.route('**/graphql', (route) => {
    if (!route.request().postData()?.includes(operation)) return route.fallback()
    const retryAfterSeconds = seconds[asked++]
    if (retryAfterSeconds === undefined) return route.fallback()
    const message = 'Wait for the seconds in Retry-After before the next request.'
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': String(retryAfterSeconds) },
      json: {
        error: message,
        error_code: 'RATE_LIMITED',
        errors: [{ message, extensions: { code: 'RATE_LIMITED', retryAfterSeconds } }],
      },
    })
  })
  return () => asked
}
