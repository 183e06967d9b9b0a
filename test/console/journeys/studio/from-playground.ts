import { expect, test } from 'vitest'
import { openPage } from '../../../setup/browser.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const SENTENCE = 'The lighthouse had been dark for eleven years, and nobody climbed its stairs. '

/** A text that is too long for the playground goes on in the Studio. */
export function fromPlaygroundJourneys(opened: () => OpenedConsole): void {
  test('a text that is too long for the playground becomes a project at three presses', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    const paragraph = SENTENCE.repeat(10).trim()
    await page.getByLabel('Text', { exact: true }).fill([paragraph, paragraph].join('\n\n'))
    const link = page.getByRole('link', { name: 'Open it in the Studio' })
    expect(await link.count()).toBe(0)
    await page.getByLabel('Text', { exact: true }).fill(Array.from({ length: 14 }, () => paragraph).join('\n\n'))
    await link.click()
    const dialog = page.getByRole('dialog', { name: 'New project' })
    await dialog.getByText('14 paragraphs').waitFor()
    await dialog.getByLabel('Name').fill(ownName('from the playground'))
    await dialog.getByRole('button', { name: 'Make the project' }).click()
    await page.waitForURL(/\/studio\/prj_/)
    await page.getByRole('button', { name: /^Speak 14 paragraphs/ }).waitFor()
    await page.goBack()
    await page.waitForURL(at('studio'))
    expect([await dialog.count(), complaints]).toEqual([0, []])
    await page.close()
  })
}
