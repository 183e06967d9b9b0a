import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import type { OpenedConsole } from '../opened-console.ts'

const EMPTIED = `update lexicon set entries = '[]', revision = revision + 1 where account_id = $1`
const lexiconFile = (content: string) => ({
  name: 'words.json',
  mimeType: 'application/json',
  buffer: Buffer.from(content),
})

/** The texts that the page has spoken from now on. */
function spokenTexts(page: Page): string[] {
  const texts: string[] = []
  page.on('request', (request) => {
    const { query = '', variables } = (request.postDataJSON() ?? {}) as {
      query?: string
      variables?: { inputs: { text: string } }
    }
    if (query.includes('submitVoiceJob') && variables) texts.push(variables.inputs.text)
  })
  return texts
}

/** The lexicon, from an empty one to a file. */
export function lexiconJourneys(opened: () => OpenedConsole): void {
  test('words are added, changed without losing those of others, found, imported, exported, heard and deleted', async () => {
    const { service, owner, account, at } = opened()
    // That of an attempt before.
    await service.runtime.db.pool.query(EMPTIED, [account])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('lexicon'))
    await page.getByText('No words yet').waitFor()
    expect(await flaws(page, 'lexicon-empty')).toEqual([])
    await page.getByRole('button', { name: 'Add a word' }).first().click()
    await page.locator('dialog :focus').waitFor()
    await page.keyboard.type('SQL')
    expect(await page.getByRole('textbox', { name: 'Word' }).inputValue()).toBe('SQL')
    await page.getByLabel('Spoken as').fill('...')
    await page.getByText('This contains nothing that can be spoken.').waitFor()
    expect(await flaws(page, 'lexicon-word')).toEqual([])
    await page.getByRole('dialog').getByLabel('Language').selectOption('English')
    await page.getByLabel('Spoken as').fill('sequel')
    const spoken = spokenTexts(page)
    for (const name of ['the word as it is spoken now', 'the word as it will be spoken']) {
      await page.getByRole('button', { name: `Play ${name}` }).click()
      await page.locator('body > audio').waitFor({ state: 'attached' })
    }
    expect(spoken).toEqual(['SQL', 'sequel'])
    await page.getByLabel('Spoken as').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /SQL sequel/ }).waitFor()
    // Meanwhile the same lexicon is changed elsewhere.
    const other = await openPage(owner, service.url)
    await other.page.goto(at('lexicon'))
    await other.page.locator('input[type=file]').setInputFiles(lexiconFile('{"entries": [{"grapheme": "gif"}]}'))
    await other.page.getByText(/words.json.: Word 1 of this file needs/).waitFor()
    const words = '{"entries": [{"grapheme": "gif", "alias": "jif"}, {"grapheme": "Leicester", "alias": "Lester"}]}'
    await other.page.locator('input[type=file]').setInputFiles(lexiconFile(words))
    await other.page.getByText('2 are new, 0 replace an existing entry').waitFor()
    await other.page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await other.page.getByRole('row', { name: /Leicester/ }).waitFor()
    await other.page.close()
    await page.getByRole('button', { name: 'Change SQL' }).click()
    await page.getByLabel('Spoken as').fill('squeal')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /SQL squeal/ }).waitFor()
    await page.getByRole('status').filter({ hasText: '“SQL” is saved.' }).waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3)
    expect(await page.locator('tbody [lang=en]').allTextContents()).toEqual(['SQL', 'squeal'])
    expect(await flaws(page, 'lexicon')).toEqual([])
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const exported = JSON.parse(await readFile(await (await download).path(), 'utf8'))
    expect(exported.entries).toContainEqual({ language: 'English', grapheme: 'SQL', alias: 'squeal' })
    await page.getByLabel('Search words').fill('jif')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Delete gif' }).click()
    await page.getByRole('button', { name: 'Delete the word' }).click()
    await page.getByText('No word matches').waitFor()
    // Where the focus goes from a dialog whose opener is gone: what is typed before would go there.
    await page.locator('h1:focus').waitFor()
    await page.getByLabel('Search words').fill('')
    await page.getByLabel('Search words').pressSequentially('lest')
    await page.getByRole('button', { name: 'Hear Leicester in the playground' }).click()
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect([await page.getByLabel('Search words').inputValue(), page.url()]).toEqual([
      'lest',
      at('lexicon?search=lest'),
    ])
    await page.goForward()
    const sheet = page.getByLabel('Text', { exact: true })
    await expect.poll(() => sheet.inputValue()).toBe('Leicester')
    expect(await page.getByRole('button', { name: 'Back to your text' }).count()).toBe(0)
    await sheet.fill('A text of my own.')
    for (const word of ['Leicester', 'SQL']) {
      await page.getByRole('link', { name: 'Lexicon' }).first().click()
      await page.getByRole('button', { name: `Hear ${word} in the playground` }).click()
      await expect.poll(() => sheet.inputValue()).toBe(word)
    }
    // A press is all that it takes to hear a word.
    await page.locator('.take').first().getByText('of audio').waitFor()
    await page.getByRole('button', { name: 'Back to your text' }).click()
    expect(await sheet.inputValue()).toBe('A text of my own.')
    expect(await page.getByRole('button', { name: 'Back to your text' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })
}
