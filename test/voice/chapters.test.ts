import { describe, expect, test } from 'vitest'
import { chaptersOf } from '../../src/voice/chapters.ts'
import { shownTiming } from '../../src/voice/timing/job-timing.ts'
import { findWords } from '../../src/voice/timing/time-speech.ts'

const STORY = 'It was a dark night. Nobody spoke, and the rain fell on the roof.'

/** The chapters of a text in which each word takes 100 ms. */
function chapters(text: string, markup: string | null = null) {
  const silent = markup === 'ssml' ? /<[^>]*>/g : /!\[\]\(.*?\)/g
  const spoken = text.replace(silent, (tag) => ' '.repeat(tag.length))
  const words = findWords(spoken, 'English').map(({ start, end }, index) => ({
    ...{ start, end, from: index * 100, to: index * 100 + 90, source: 'engine' as const },
  }))
  const heard = markup === 'ssml' ? [{ start: 0, end: text.length }] : null
  const timing = shownTiming({ words, sentences: [], heard }, text, markup, null)
  return chaptersOf({ text, timing, durationMs: words.length * 100, markup })
}
const titles = (text: string, markup: string | null = null) => chapters(text, markup).map(({ title }) => title)

describe('chapters', () => {
  test('are single lines between blank lines, with the times and places of what is heard', () => {
    const text = `Chapter 1\n\n${STORY}\n\n${STORY}\n\nChapter 2\n\n${STORY}`
    const words = findWords(STORY, 'English').length
    expect(chapters(text)).toEqual([
      { title: 'Chapter 1', offset: 0, fromMs: 0, toMs: (2 * words + 2) * 100 },
      {
        title: 'Chapter 2',
        offset: text.indexOf('Chapter 2'),
        fromMs: (2 * words + 2) * 100,
        toMs: (3 * words + 4) * 100,
      },
    ])
  })

  test('begin with the recording', () => {
    expect(titles(`${STORY}\n\nThe Journey\n\n${STORY}`)).toEqual([STORY, 'The Journey'])
  })

  test.each([
    ['two lines of one heading', `Part One\n\nThe Journey\n\n${STORY}`, ['Part One The Journey']],
    ['two blank lines', `${STORY}\n\n\n${STORY}`, [STORY, STORY]],
    [
      'a heading behind two blank lines',
      `Prologue\n\n${STORY}\n\n\nThe End of It\n\n${STORY}`,
      ['Prologue', 'The End of It'],
    ],
    ['lines of Windows', `Chapter 1\r\n\r\n${STORY}\r\n\r\nChapter 2\r\n\r\n${STORY}`, ['Chapter 1', 'Chapter 2']],
    ['a title and a wide gap', `The End\n\n\n${STORY}\n\nMore\n\n${STORY}`, ['The End', 'More']],
    ['numbers', `1\n\n${STORY}\n\n2\n\n${STORY}`, ['1', '2']],
    ['another script', `第一章\n\n${STORY}\n\n第二章\n\n${STORY}`, ['第一章', '第二章']],
    ['indented lines', `\n   I\n\n${STORY}\n \nII  \n\n${STORY}`, ['I', 'II']],
  ])('know %s', (_, text, expected) => {
    expect(titles(text)).toEqual(expected)
  })

  test.each([
    ['a text without headings', `${STORY}\n\n${STORY}`],
    ['one line', 'Hello there'],
    ['a last line', `${STORY}\n\nYours, Ada`],
    ['lines that end like sentences', `"Come in."\n\n${STORY}\n\nHe asked:\n\n${STORY}`],
    ['lines without a gap', `Roses are red\nViolets are blue\n\n${STORY}`],
    ['rules', `${STORY}\n\n* * *\n\n${STORY}`],
  ])('are not %s', (_, text) => {
    expect(titles(text)).toEqual([])
  })

  test('are the headings of Markdown, as they are shown, down to the first level that occurs twice', () => {
    const text = `# The *Book*\n\n${STORY}\n\n## One &amp; only\n\n${STORY}\n\n### Aside\n\n${STORY}\n\nTwo\n---\n\n${STORY}\n\n\`\`\`\n# no heading\n\`\`\`\n`
    expect(titles(text, 'markdown')).toEqual(['The Book', 'One & only', 'Two'])
  })

  test('of Markdown in a row are one, and pictures are none', () => {
    const text = `# ![](logo.png)\n\n${STORY}\n\n# Book\n\n# One\n\n${STORY}\n\n# Next\n\n${STORY}`
    const found = chapters(text, 'markdown')
    expect(found.map(({ title }) => title)).toEqual([STORY, 'Book One', 'Next'])
    expect(found[0]!.fromMs).toBe(0)
    expect(found.slice(1).map(({ fromMs }) => fromMs)).toEqual(found.slice(0, -1).map(({ toMs }) => toMs))
  })

  test('leave no hole where a mark has no name', () => {
    const text = `<speak><mark name=""/>${STORY}<mark name=" "/>${STORY}<mark name="B"/>${STORY}</speak>`
    const found = chapters(text, 'ssml')
    expect(found.map(({ title }) => title)).toEqual([`${STORY}It was a dark…`, 'B'])
    expect(found[0]).toMatchObject({ fromMs: 0, toMs: found[1]!.fromMs })
  })

  test('are the marks of SSML', () => {
    const text = `<speak><mark name="Opening"/>${STORY}<mark name="The end &lt;3"/>${STORY}<mark name="unheard"/></speak>`
    expect(titles(text, 'ssml')).toEqual(['Opening', 'The end <3'])
  })

  test('have titles that fit into a list, whatever is in them', () => {
    const [first] = titles(`\u{1f600}${' word'.repeat(200)}\n\n\n${STORY}`)
    expect(Array.from(first!).length).toBeLessThanOrEqual(80)
    expect(first).toMatch(/^\u{1f600}( word)+…$/u)
  })

  test.each([
    ['', 'A line\n\n'],
    ['markdown', '# a\n\n'],
    ['ssml', '<mark name="m"/>a '],
  ])('are found in linear time: %s', (markup, piece) => {
    const secondsOf = (count: number) => {
      const text = markup === 'ssml' ? `<speak>${piece.repeat(count)}</speak>` : piece.repeat(count)
      const begun = process.cpuUsage().user
      chapters(text, markup || null)
      return (process.cpuUsage().user - begun) / 1e6
    }
    secondsOf(1000)
    expect(secondsOf(20_000)).toBeLessThan(4)
  })
})
