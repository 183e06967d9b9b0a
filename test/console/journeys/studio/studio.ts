import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { docx, epub, wp } from '../../studio/books.ts'
import { type OpenedConsole, ownName, signIn } from '../opened-console.ts'

const BOOK = {
  pages: {
    one: '<h1>The lamp</h1><p>It was dark for eleven years.</p><p>Somebody lit the lamp.</p>',
    two: '<h1>The sea</h1><p>Then the ships came back.</p>',
  },
  nav: '<li><a href="text/one.xhtml">The lamp</a></li><li><a href="text/two.xhtml">The sea</a></li>',
}
const SCRIPT = [wp('ANNA: Who is there?'), wp('BEN (softly): It is me.'), wp('ANNA: Come in.')].join('')

const file = (name: string, bytes: Uint8Array) => ({
  ...{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) },
})
const states = (page: Page) => page.locator('.para-state').allInnerTexts()
const texts = (page: Page) =>
  page.locator('.para textarea').evaluateAll((areas) => areas.map((area) => (area as HTMLTextAreaElement).value))

/** A long text, from a file to an audiobook. */
export function studioJourneys(opened: () => OpenedConsole): void {
  test('a book is imported, written in, saved by itself, undone, kept over a reload and told apart from what another saves', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, /ERR_FAILED/)
    const name = ownName('Lighthouse')
    await page.goto(at('studio'))
    await page.getByRole('heading', { name: 'Studio' }).waitFor()
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByLabel('Text file').setInputFiles(file('broken.epub', Uint8Array.of(1, 2, 3)))
    await page.getByText('The file is damaged, or protected by a password.').waitFor()
    await page.getByLabel('Text file').setInputFiles(file('lighthouse.epub', epub(BOOK)))
    await page.getByText('2 chapters, 5 paragraphs').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('button', { name: 'Make the project' }).click()
    await page.getByRole('heading', { name }).waitFor()
    expect(await texts(page)).toEqual(['The lamp', 'It was dark for eleven years.', 'Somebody lit the lamp.'])
    const second = page.locator('.para textarea').nth(1)
    await second.click()
    await page.keyboard.press('End')
    await page.keyboard.type(' Very dark.')
    await page.getByText('Saved', { exact: true }).waitFor()
    // Enter parts a paragraph, Backspace joins it again, and Undo goes back behind both.
    for (let letters = 0; letters < ' Very dark.'.length; letters++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => texts(page))
      .toEqual(['The lamp', 'It was dark for eleven years.', 'Very dark.', 'Somebody lit the lamp.'])
    await page.keyboard.press('Backspace')
    await expect.poll(() => page.locator('.para').count()).toBe(3)
    // Letters are one step or several: that depends on how quickly they come.
    const undoneTexts = () => page.keyboard.press('Control+z').then(() => texts(page))
    await expect.poll(undoneTexts).toEqual(['The lamp', 'It was dark for eleven years.', 'Somebody lit the lamp.'])
    await page.keyboard.press('Control+Shift+z')
    await deletedAndBack(page)
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await flaws(page, 'studio-editor')).toEqual([])
    await keptOverReload(page)
    await conflicted(opened(), page, name)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a script becomes a dialogue, is spoken as a whole, heard, taken anew and chosen; a changed word makes one paragraph outdated', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    const name = ownName('Dialogue')
    await page.goto(at('studio'))
    await page.getByRole('button', { name: 'New project' }).first().click()
    // An old text does not say how it is written: its reader does, and sees how it begins.
    await page
      .getByLabel('Text file')
      .setInputFiles(file('old.txt', Uint8Array.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])))
    await page.getByRole('blockquote').getByText('Ïðèâåò').waitFor()
    await page.getByLabel('Letters').selectOption('Cyrillic (Windows)')
    await page.getByRole('blockquote').getByText('Привет').waitFor()
    expect(await flaws(page, 'studio-import-letters')).toEqual([])
    await page.getByLabel('Text file').setInputFiles(file('script.docx', docx(SCRIPT)))
    await page.getByText('ANNA (2 lines), BEN (1 line)').waitFor()
    expect(await flaws(page, 'studio-import-dialogue')).toEqual([])
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('button', { name: 'Make the project' }).click()
    await page.getByRole('heading', { name }).waitFor()
    expect(await texts(page)).toEqual(['Who is there?', 'It is me.', 'Come in.'])
    expect(await page.locator('.para-who').allInnerTexts()).toEqual(['ANNA', expect.stringContaining('BEN'), 'ANNA'])
    await page.getByRole('button', { name: /^Speak 3 paragraphs · \d+ credits$/ }).click()
    await expect.poll(() => states(page), { timeout: 30_000 }).toEqual(['Spoken', 'Spoken', 'Spoken'])
    await page.getByRole('button', { name: 'All is spoken' }).waitFor()
    // Each paragraph is marked while it is heard, and Space pauses.
    await page.getByRole('button', { name: 'Hear it' }).click()
    await page.locator('.para[aria-current] textarea').waitFor()
    await expect.poll(() => page.locator('.para').nth(1).getAttribute('aria-current')).toBe('true')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Go on' }).waitFor()
    expect(await flaws(page, 'studio-heard')).toEqual([])
    await page.getByRole('button', { name: 'Stop' }).click()
    await twoTakes(page)
    await page.locator('.para textarea').nth(0).fill('Who is it?')
    await expect.poll(() => states(page)).toEqual(['Changed', 'Spoken', 'Spoken'])
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect.poll(() => states(page)).toEqual(['Changed', 'Spoken', 'Spoken'])
    await page.getByRole('button', { name: /^Speak 1 paragraph · 10 credits$/ }).waitFor()
    const audiobook = await exported(page)
    // An MPEG-4 file says so behind its length.
    expect([audiobook.subarray(4, 8).toString(), audiobook.length > 1000]).toEqual(['ftyp', true])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('what is spoken of a book of many chapters is there after a reload', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('studio'))
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByText('Paste a text').click()
    const text = Array.from({ length: 45 }, (_, index) => `Chapter ${index + 1}\n\nIt is said.`).join('\n\n')
    await page.getByRole('textbox', { name: 'Text' }).fill(text)
    await page.getByRole('textbox', { name: 'Name' }).fill(ownName('Long'))
    await page.getByRole('button', { name: 'Make the project' }).click()
    await page.getByRole('button', { name: 'Speak: Chapter 1', exact: true }).click()
    await expect.poll(() => states(page), { timeout: 30_000 }).toEqual(['Spoken', 'Not spoken'])
    await page.reload()
    await expect.poll(() => states(page)).toEqual(['Spoken', 'Not spoken'])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('speakers get names and voices, a word is taught and heard, and an earlier version is looked at and brought back', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('studio'))
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByText('Paste a text').click()
    await page.getByRole('textbox', { name: 'Text' }).fill('ANNA: Who is Quix?\nBEN: It is me.')
    // Nobody comes again, so that the dialogue is only offered, with what it takes out of the text.
    expect(await page.getByRole('listitem').filter({ hasText: 'It is me.' }).innerText()).toBe('BEN: It is me.')
    await page.getByRole('checkbox', { name: /^This is a dialogue/ }).check()
    expect(await page.locator('del').allInnerTexts()).toEqual(['ANNA:', 'BEN:'])
    await page.getByRole('textbox', { name: 'Name' }).fill(ownName('Cast'))
    await page.getByRole('button', { name: 'Make the project' }).click()
    await page.locator('.para').first().waitFor()
    // Saves of a person leave one version for some minutes.
    await service.runtime.db.pool.query("update project set held_since = now() - interval '1 hour'")
    await page.locator('summary').filter({ hasText: 'Project' }).click()
    await page.getByRole('button', { name: 'Cast' }).click()
    await page.getByLabel('Name of the speaker').first().fill('ANNE')
    expect(await flaws(page, 'studio-cast')).toEqual([])
    await page.getByRole('button', { name: 'Voice and style of ANNE' }).click()
    const voice = page.getByRole('dialog', { name: 'Voice and style of ANNE' })
    const chosen = voice.getByRole('radio').nth(2)
    await chosen.check({ force: true })
    await voice.getByLabel('Silence behind it, in seconds (optional)').fill('2.5')
    expect(await flaws(page, 'studio-voice')).toEqual([])
    await page.keyboard.press('Control+Enter')
    await page.getByText(/2\.5 s of silence · 1 line/).waitFor()
    await page.getByRole('button', { name: 'Use this cast' }).click()
    await expect.poll(() => page.locator('.para-who').allInnerTexts()).toEqual(['ANNE', 'BEN'])
    await page.locator('.para textarea').first().click()
    await page.evaluate(() => (document.activeElement as HTMLTextAreaElement).setSelectionRange(7, 11))
    await page.getByRole('button', { name: 'Teach a word' }).click()
    expect(await page.getByRole('textbox', { name: 'Word' }).inputValue()).toBe('Quix')
    await page.getByLabel('Spoken as').fill('quicks')
    await page.getByRole('button', { name: 'Play the word as it will be spoken' }).click()
    await page.locator('body > audio[src*=".wav"], body > audio[src]').last().waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('dialog', { name: '“Quix” is taught' }).getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.locator('summary').filter({ hasText: 'Project' }).click()
    await page.getByRole('button', { name: 'Earlier versions' }).click()
    await page.getByRole('button', { name: 'Look' }).first().click()
    await page.getByRole('dialog').getByText('Who is Quix?').waitFor()
    await page.getByRole('button', { name: 'Bring this one back' }).click()
    await expect.poll(() => page.locator('.para-who').allInnerTexts()).toEqual(['ANNA', 'BEN'])
    await page.keyboard.press('Control+z')
    await expect.poll(() => page.locator('.para-who').allInnerTexts()).toEqual(['ANNE', 'BEN'])
    await pasted(page, 1, ' One.\n\nTwo.\n\nOne.')
    await expect.poll(() => texts(page)).toEqual(['Who is Quix?', 'It is me.One.', 'Two.', 'One.'])
    await pasted(page, 2, 'A word. '.repeat(1300))
    await expect.poll(async () => (await texts(page)).length).toBe(5)
    expect(await page.locator('.para-who').allTextContents()).toEqual(['ANNE', 'BEN', 'BEN', 'BEN', 'BEN'])
    await page.evaluate(() => (document.activeElement as HTMLTextAreaElement).setSelectionRange(0, 0))
    await page.keyboard.press('Backspace')
    await page.getByText('A paragraph takes 10,000 characters.').waitFor()
    await whollyIn(page)
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
}

/** Text that was just written and is deleted as a whole comes back, with the caret behind it. */
async function deletedAndBack(page: Page): Promise<void> {
  const third = page.locator('.para textarea').nth(2)
  await third.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('It shone.')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.press('Control+z')
  await expect.poll(() => third.inputValue()).toBe('It shone.')
  await page.keyboard.type('!')
  await expect.poll(() => third.inputValue()).toBe('It shone.!')
  // The buttons bring the change into sight, with the caret behind it.
  await page.setViewportSize({ width: 1280, height: 300 })
  for (const [name, text] of [
    ['Undo', 'It shone.'],
    ['Redo', 'It shone.!'],
  ] as const) {
    await page.evaluate(() => (document.scrollingElement as Element).scrollTo(0, 0))
    await page.getByRole('button', { name, exact: true }).click()
    await expect.poll(() => caret(page)).toEqual({ text, at: text.length, isInSight: true })
  }
  await page.setViewportSize({ width: 1280, height: 720 })
}

/** The field that has the focus. */
const caret = (page: Page) =>
  page.evaluate(() => {
    const area = document.activeElement as HTMLTextAreaElement
    const { top, bottom } = area.getBoundingClientRect()
    const below = document.querySelector('.top-bar')?.getBoundingClientRect().bottom ?? 0
    return { text: area.value, at: area.selectionStart, isInSight: top >= below && bottom <= innerHeight }
  })

/** The page sends nothing while the service cannot be reached, and shows the written text after a reload. */
async function keptOverReload(page: Page): Promise<void> {
  await page.route('**/graphql', (route) => route.abort())
  await page.locator('.para textarea').nth(2).fill('Somebody lit the old lamp.')
  await page.getByText('Not saved yet').waitFor()
  await page.unroute('**/graphql')
  await page.reload()
  await expect.poll(() => page.locator('.para textarea').nth(2).inputValue()).toBe('Somebody lit the old lamp.')
  await page.getByText('Saved', { exact: true }).waitFor()
}

/** Another page saves first: this one is told, loses nothing, and keeps its text as a copy. */
async function conflicted({ service, browser, at }: OpenedConsole, page: Page, name: string): Promise<void> {
  const context = await browser.newContext()
  const { page: other } = await openPage(context, service.url)
  await other.goto(page.url())
  await signIn(other, 'member@example.com')
  const savedByOther = async (text: string): Promise<void> => {
    await other.locator('.para textarea').nth(0).fill(text)
    await other.getByText('Saved', { exact: true }).waitFor()
  }
  // Who has changed nothing meanwhile sees the text of the other, and Undo does not overwrite it.
  await savedByOther('The candle')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('member@example.com saved this project: this is their text.').waitFor()
  expect(await texts(page).then(([first]) => first)).toBe('The candle')
  expect(await page.getByRole('button', { name: 'Undo', exact: true }).getAttribute('aria-disabled')).toBe('true')
  const look = (url: URL) => url.pathname.endsWith('/graphql')
  await page.route(look, (route) =>
    route.request().postData()?.includes('query ProjectRevision') ? route.abort() : route.continue(),
  )
  await savedByOther('The lantern')
  await context.close()
  await page.locator('.para textarea').nth(0).fill('The light')
  await page.getByText('member@example.com has saved this project while you were changing it.').waitFor()
  await page.unroute(look)
  expect(await flaws(page, 'studio-conflict')).toEqual([])
  await page.getByRole('button', { name: 'Look at theirs' }).click()
  await page.getByRole('dialog').getByText('The lantern').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep mine as a copy' }).click()
  await page.getByRole('heading', { name: `${name} (copy)` }).waitFor()
  await expect.poll(() => texts(page).then(([first]) => first)).toBe('The light')
  await page.goto(at('studio'))
  await page.getByRole('link', { name, exact: true }).waitFor()
  await page.getByText('nothing', { exact: true }).first().waitFor()
  expect(await flaws(page, 'studio-list')).toEqual([])
  const opens: string[] = []
  page.on('request', (request) => {
    if (request.postData()?.includes('query OpenProject')) opens.push(request.url())
  })
  // A connection that was lost and is back asks for a project that is to be opened, once.
  await page.getByLabel('Connection: Live').waitFor()
  await page.context().setOffline(true)
  await page.context().setOffline(false)
  await page.getByLabel('Connection: Live').waitFor()
  await page.getByRole('link', { name, exact: true }).click()
  await expect.poll(() => texts(page).then(([first]) => first)).toBe('The lantern')
  await page.locator('.para textarea').nth(0).fill('The lantern shone.')
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(opens).toHaveLength(1)
  // The chapter is in the address.
  await page.getByRole('button', { name: /^The sea/ }).click()
  await page.waitForURL(/\?chapter=/)
  await page.reload()
  await expect.poll(() => page.getByLabel('Title of the chapter').inputValue()).toBe('The sea')
  // Nothing is lost where somebody deletes the project.
  await service.runtime.db.pool.query('delete from project where name = $1', [name])
  await page.locator('.para textarea').nth(0).fill('The ships')
  await page.getByText('This project was deleted while it was open here.').waitFor()
  expect(await flaws(page, 'studio-deleted')).toEqual([])
  await page.reload()
  await page.getByText(/^This project was deleted\. This browser still has the chapters/).waitFor()
  expect(await flaws(page, 'studio-rescued')).toEqual([])
  await page.getByRole('button', { name: 'Keep mine as a copy' }).click()
  await expect.poll(() => texts(page).then(([first]) => first)).toBe('The ships')
  await page.getByText('Saved', { exact: true }).waitFor()
}

/** Pastes a text at the end of a paragraph. */
async function pasted(page: Page, at: number, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.locator('.para textarea').nth(at).click()
  await page.evaluate((words) => navigator.clipboard.writeText(words), text)
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Control+Shift+v')
}

/** A long text that comes by a drop, a file or a program is whole, as a pasted one is. */
async function whollyIn(page: Page): Promise<void> {
  const before = await texts(page)
  const long = 'A word. '.repeat(1300).trim()
  const words = async (): Promise<number> => (await texts(page)).join(' ').split('A word.').length - 1300
  const begin = await words()
  const cameAndWent = async (): Promise<void> => {
    await expect.poll(words).toBe(begin + 1300)
    await page.keyboard.press('Control+z')
    await expect.poll(() => texts(page).then((all) => all.join() === before.join())).toBe(true)
  }
  await dropped(page, 4, { items: [{ mimeType: 'text/plain', data: long }] })
  await cameAndWent()
  await page.locator('.para textarea').nth(4).click()
  await page.evaluate((text) => document.execCommand('insertText', false, text), long)
  await cameAndWent()
  const path = join(tmpdir(), `${ownName('dropped')}.txt`)
  await writeFile(path, long)
  await dropped(page, 4, { files: [path] })
  await cameAndWent()
  await rm(path)
}

/** Drops a text from another window, or a file, upon the end of a paragraph. */
async function dropped(page: Page, at: number, what: object): Promise<void> {
  const area = page.locator('.para textarea').nth(at)
  await area.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await area.boundingBox())!
  const client = await page.context().newCDPSession(page)
  const data = { items: [], files: [], dragOperationsMask: 1, ...what }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await client.send('Input.dispatchDragEvent', { type, x: x + width - 2, y: y + height - 4, data })
  await client.detach()
}

/** The project as an audiobook. */
async function exported(page: Page): Promise<Buffer> {
  await page.locator('summary').filter({ hasText: 'Export' }).click()
  await page.getByRole('button', { name: 'M4B, an audiobook with chapters' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const path = await (await download).path()
  await page.getByRole('button', { name: 'Close' }).click()
  return await readFile(path)
}

/** The second paragraph is spoken again, and the first of its takes is used. */
async function twoTakes(page: Page): Promise<void> {
  await page.locator('.para textarea').nth(1).click()
  await page.getByRole('button', { name: 'Speak again' }).click()
  await page.getByRole('button', { name: '2 takes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Takes' })
  const items = dialog.getByRole('listitem')
  await expect.poll(() => items.nth(0).getByRole('button', { name: 'Used' }).count(), { timeout: 20_000 }).toBe(1)
  expect(await flaws(page, 'studio-takes')).toEqual([])
  await items.nth(1).getByRole('button', { name: 'Use this one' }).click()
  await expect.poll(() => items.nth(1).getByRole('button', { name: 'Used' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Close' }).click()
}
