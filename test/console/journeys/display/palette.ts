import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertVoice } from '../../../setup/jobs/library.ts'
import { submitText } from '../../../setup/jobs/voice-jobs.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

/** Ctrl+K: all that is found by words, without a pointer. */
export function paletteJourneys(opened: () => OpenedConsole): void {
  test('Ctrl+K finds jobs by words once a user pauses, keys and people, and does what the screen can do', async () => {
    const { service, owner, account, at } = opened()
    const word = ownName('palette')
    const { apiKey, apiKeyId } = await service.createKey(account)
    await service.runtime.db.pool.query('update api_key set name = $2 where id = $1', [apiKeyId, `Key of ${word}`])
    const voice = await insertVoice(service.runtime.db, account)
    const jobId = await submitText(service.url, apiKey, 'tts', `The ${word} has many colours.`, 'aria')
    const { page, complaints } = await openPage(owner, service.url)
    const asked: unknown[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('PaletteJobs')) asked.push(request.postDataJSON().variables.filter)
    })
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(`${word} speaks.`)
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Go to, or do' })
    const chosen = page.getByRole('dialog').getByRole('option', { selected: true })
    await field.fill('p')
    await chosen.filter({ hasText: 'Playground' }).waitFor()
    // The pages of help come later than the field, and after them the last offer is another one.
    const pressed = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      return chosen.textContent()
    }
    await expect.poll(() => pressed('End')).not.toContain('Playground')
    await expect.poll(() => pressed('End', 'ArrowDown')).toContain('Playground')
    await field.pressSequentially(word.slice(1), { delay: 5 })
    await chosen.filter({ hasText: `Key of ${word}` }).waitFor()
    await page.getByRole('option', { name: /has many colours\..*Aria · \D+ · / }).waitFor()
    expect(asked).toEqual([{ words: word }])
    expect(await flaws(page, 'palette')).toEqual([])
    await page.keyboard.press('End')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.waitForURL(at(`jobs/${jobId}`))
    await page.keyboard.press('Control+k')
    await field.fill(jobId.slice(0, 20))
    await page.getByRole('option', { name: /has many colours/ }).waitFor()
    await field.fill(`${word} has`)
    await page.getByRole('option', { name: /has many colours/ }).waitFor()
    expect(await chosen.textContent()).toContain('Speak it')
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
    expect(await field.isVisible()).toBe(true)
    await field.fill(`${word} and more words than the list of jobs can be searched by at once`)
    await page
      .getByRole('status')
      .filter({ hasText: /^1 found$/ })
      .waitFor()
    await field.fill(voice)
    await chosen.filter({ hasText: 'Your voice' }).waitFor()
    await field.fill('owner@example')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('people'))
    await page.goto(at('playground'))
    await page.getByRole('button', { name: 'Speak' }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('speak this')
    await page.keyboard.press('Enter')
    await page.getByText('of audio').first().waitFor()
    await page.goto(at('jobs'))
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('export')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^All jobs, last hour/ }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('dark')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.evaluate("localStorage.removeItem('sonant-theme')")
    expect(complaints).toEqual([])
    await page.close()
  })
}
