import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { createSignInLink } from '../../../../src/users/sign-in-link.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import type { OpenedConsole } from '../opened-console.ts'

/** The first minute: from the link of the first start to two voices and a key. */
export function firstStepJourneys(opened: () => OpenedConsole): void {
  test('the link of the first start signs in without a press, and the first steps tick themselves off and stay away once put away', async () => {
    const { service, browser, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const account = await service.createAccount(100_000n)
    const { id } = await createUser(system, { account, email: 'owner@demo.invalid', role: 'owner' })
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page, complaints } = await openPage(context, service.url)
    await page.goto((await createSignInLink(system, { user: id })).url)
    await page.waitForURL(at(''))
    const progress = page.getByRole('status').filter({ hasText: 'first steps done' })
    await expect.poll(() => progress.textContent()).toBe('0 of 3 first steps done')
    expect(await flaws(page, 'first-steps')).toEqual([])

    const [first, second] = await page.getByRole('button', { name: /^Hear / }).all()
    const names = [await first!.textContent(), await second!.textContent()]
    for (const name of names) await page.getByRole('button', { name: name!.trim() }).click()
    await expect.poll(() => progress.textContent()).toBe('1 of 3 first steps done')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('audio')].some(({ currentTime }) => currentTime > 0.05),
    )

    await page.getByRole('button', { name: 'Make a key' }).click()
    await expect.poll(() => progress.textContent()).toBe('2 of 3 first steps done')
    await page.getByText('TypeScript', { exact: true }).click()
    expect(await page.locator('pre', { hasText: 'await fetch' }).textContent()).toMatch(/Bearer snt_\w{42}/)
    expect(await flaws(page, 'first-key')).toEqual([])

    await page.getByRole('button', { name: 'Put these steps away' }).click()
    await page.getByText('Running now').waitFor()
    await page.locator('h1:focus').waitFor()
    await progress.waitFor({ state: 'detached' })
    await context.close()
    // The service remembers it: another browser shows none, either.
    const elsewhere = await browser.newContext()
    const { page: other } = await openPage(elsewhere, service.url)
    await other.goto((await createSignInLink(system, { user: id })).url)
    await other.waitForURL(at(''))
    await other.getByText('Running now').waitFor()
    expect([await other.getByText('first steps done').count(), complaints]).toEqual([0, []])
    await elsewhere.close()
  })
}
