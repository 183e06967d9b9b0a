import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

const run = promisify(execFile)

/** Where help and the version of the service are found. */
export function helpJourneys(opened: () => OpenedConsole): void {
  test('the foot of the rail leads to help and has the version, and so has the menu of a phone', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const width of [1440, 800, 360]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto(at('profile'))
      await page.getByRole('heading', { name: 'Profile' }).waitFor()
      if (width === 360) await page.locator('.account-button').click()
      await page
        .getByText(/v\d+\.\d+\.\d+$/)
        .filter({ visible: true })
        .waitFor()
      expect([width, await flaws(page, `help-${width}`)]).toEqual([width, []])
      await page
        .getByRole('link', { name: 'Help', exact: true })
        .or(page.getByRole('link', { name: /^Help v/ }))
        .click()
      await page.locator('h1:focus', { hasText: 'Help' }).waitFor()
    }
    expect(await flaws(page, 'help')).toEqual([])
    await page.keyboard.press('?')
    await dialog.getByText(/^Sonant \d/).waitFor()
    expect(await flaws(page)).toEqual([])
    await dialog.getByRole('link', { name: 'Documentation' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('help is the docs: each page opens, and samples have the own address and, at a press, a key', async () => {
    const { service, owner, account, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('help'))
    const contents = page.getByRole('main').getByRole('navigation', { name: 'Contents' })
    await contents.getByRole('link', { name: 'Getting started' }).click()
    const sample = page.locator('.sample', { hasText: 'This is Sonant' }).first()
    await sample.getByText(`${service.url}/api/v1/voice/tts" -H "Authorization: Bearer $KEY"`).waitFor()
    await page.getByRole('button', { name: 'Fill in a key' }).click()
    await sample.getByText(/Bearer snt_\w{42}"/).waitFor()
    expect(await flaws(page, 'help-page')).toEqual([])
    await owner.grantPermissions(['clipboard-read', 'clipboard-write'])
    await sample.getByRole('button', { name: 'Copy this sample' }).click()
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
    const [, line = ''] = /^ANSWER=\$\((.*)\); echo/s.exec(copied.split('\n').slice(1).join('\n')) ?? []
    expect((await run('sh', ['-c', line])).stdout).toMatch(/"status":"queued"/)

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to, or do' }).fill('without a gpu')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('help/voices#neural-voices-without-a-gpu'))
    const heading = page.getByRole('heading', { name: 'Neural voices without a GPU' })
    await expect.poll(() => heading.evaluate((one) => Math.round(one.getBoundingClientRect().top))).toBeLessThan(200)
    const away = page.locator('.help-text a[href^=http]').first()
    expect([await away.getAttribute('target'), await away.getAttribute('rel')]).toEqual(['_blank', 'noreferrer'])

    await page.setViewportSize({ width: 360, height: 740 })
    const links = page.locator('.help-contents section > ul > li > a')
    const pages = await links.evaluateAll((all) =>
      all.map((one) => [one.getAttribute('href'), one.textContent] as const),
    )
    const wide: string[] = []
    for (const [href, title] of pages) {
      await page.locator(`.help-contents a[href="${href}"]`).dispatchEvent('click')
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
      await page.locator('.help-text').waitFor()
      if ((await page.evaluate('document.documentElement.scrollWidth')) !== 360) wide.push(title)
    }
    expect(pages.length).toBeGreaterThan(20)
    expect(wide).toEqual([])
    await page.goto(at('help/none'))
    await page.getByRole('heading', { name: 'There is no such page of help' }).waitFor()
    await service.runtime.db.pool.query("delete from api_key where account_id = $1 and name = 'Samples of the help'", [
      account,
    ])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the menu of the account lies over what is sticky on the page', async () => {
    const { service, owner, account, at } = opened()
    for (let made = 0; made < 20; made++) await insertJob(service.runtime.db, account)
    const { page } = await openPage(owner, service.url)
    await page.goto(at('jobs'))
    await page.locator('tbody tr[data-job]').nth(19).waitFor()
    await page.locator('.account-button').click()
    const menu = page.locator('.menu')
    const covered = await menu.evaluate((element) => {
      const { top, bottom, right } = element.getBoundingClientRect()
      const heights = Array.from({ length: 20 }, (_, part) => top + 12 + ((bottom - top - 24) * part) / 19)
      return heights.filter((y) => !element.contains(document.elementFromPoint(right - 6, y)))
    })
    expect(covered).toEqual([])
    await page.close()
  })
}
