import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readFile, readPasted } from '../../../src/console/studio/import/read-file.ts'
import { docx, epub, wp } from './books.ts'

const read = (name: string, text: string) => readFile(name, strToU8(text))
/** `[title, ...paragraphs]` of each chapter. */
const outline = async (file: ReturnType<typeof readFile>) =>
  (await file).chapters.map(({ title, paragraphs }) => [title, ...paragraphs])

describe('a text', () => {
  test('has a chapter for each line that stands alone and ends like no sentence, and keeps that line to be said', async () => {
    const text = 'Chapter One\n\nIt was dark.\r\nVery dark.\n\nNobody came.\n\nChapter Two\n\nThen it was light.\n'
    expect(await outline(read('a book.txt', text))).toEqual([
      ['Chapter One', 'Chapter One', 'It was dark.\nVery dark.', 'Nobody came.'],
      ['Chapter Two', 'Chapter Two', 'Then it was light.'],
    ])
    expect((await read('a book.txt', text)).name).toBe('a book')
  })

  test('that was broken by hand into long lines is joined again, and verses are not', async () => {
    const wrapped =
      'The lighthouse had been dark for eleven years before it\nwas found by somebody who had a match and some oil, and\nlit it.'
    const verse = 'Shall I compare thee\nto a summer day?'
    expect(await outline(read('a.txt', `${wrapped}\n\n${verse}`))).toEqual([
      ['Chapter 1', wrapped.replaceAll('\n', ' '), verse],
    ])
  })

  test('without blank lines has a paragraph in each line', () => {
    expect(readPasted('One is here.\nTwo is here.\n').chapters).toEqual([
      { title: 'Chapter 1', paragraphs: ['One is here.', 'Two is here.'] },
    ])
  })

  test('is read in UTF-8, in UTF-16 with its mark, and else in Windows-1252', async () => {
    const utf16 = (mark: number[], swap: boolean) =>
      Uint8Array.from([
        ...mark,
        ...[...'Größe.']
          .flatMap((c) => [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8])
          .map((_, i, all) => all[swap ? i ^ 1 : i]!),
      ])
    for (const bytes of [
      strToU8('Größe.'),
      Uint8Array.from([0xef, 0xbb, 0xbf, ...strToU8('Größe.')]),
      utf16([0xff, 0xfe], false),
      utf16([0xfe, 0xff], true),
      Uint8Array.from([...'Gr\u00f6\u00dfe.'].map((c) => c.charCodeAt(0))),
    ])
      expect(await outline(readFile('a.txt', bytes))).toEqual([['Chapter 1', 'Größe.']])
  })

  test('that does not say how it is written is told apart, and read as its reader says', async () => {
    const cyrillic = Uint8Array.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2e])
    const guessed = await readFile('a.txt', cyrillic)
    expect([guessed.encoding, guessed.chapters[0]!.paragraphs]).toEqual(['windows-1252', ['Ïðèâåò.']])
    const chosen = await readFile('a.txt', cyrillic, 'windows-1251')
    expect([chosen.encoding, chosen.chapters[0]!.paragraphs]).toEqual(['windows-1251', ['Привет.']])
    const japanese = Uint8Array.from([0x93, 0xfa, 0x96, 0x7b, 0x81, 0x42])
    expect((await readFile('a.srt.txt', japanese, 'shift_jis')).chapters[0]!.paragraphs).toEqual(['日本。'])
    expect((await read('a.txt', 'Größe.')).encoding).toBe(undefined)
    expect((await readFile('a.docx', docx(wp('Hello.')))).encoding).toBe(undefined)
  })

  test('with many short lines in a row takes three of them as a title', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `Line ${at + 1}`)
    const [chapter] = (await read('a.txt', `${lines.join('\n\n')}\n\nThe end.`)).chapters
    expect([chapter!.title, chapter!.paragraphs.length]).toEqual(['Line 1 – Line 2 – Line 3', 61])
  })

  test('has paragraphs that a project takes: a longer one is parted between sentences', async () => {
    const sentence = `Word${' word'.repeat(199)}.`
    const [chapter] = await outline(read('a.txt', Array(25).fill(sentence).join(' ')))
    const paragraphs = chapter!.slice(1)
    expect(paragraphs.map((one) => one.length <= 10_000 && one.endsWith('word.'))).toEqual([true, true, true])
    expect(paragraphs.join(' ').length).toBe(25 * sentence.length + 24)
  })
})

test('a chapter that is longer than a project takes is parted', async () => {
  const text = `Long\n\n${'One.\n\n'.repeat(2500)}Short\n\nTwo.`
  const { chapters } = await readFile('a.txt', strToU8(text))
  expect(chapters.map(({ title, paragraphs }) => [title, paragraphs.length])).toEqual([
    ['Long (1)', 2000],
    ['Long (2)', 501],
    ['Short', 2],
  ])
})

test('more chapters than a project takes are joined to their neighbours', async () => {
  const text = Array.from({ length: 1100 }, (_, at) => `## Day ${at + 1}\n\nIt rained.`).join('\n\n')
  const { chapters } = await readFile('a.md', strToU8(text))
  expect([chapters.length, chapters[0]!.title, chapters.at(-1)!.title]).toEqual([
    367,
    'Day 1 – Day 3',
    'Day 1099 – Day 1100',
  ])
  expect(chapters.flatMap(({ paragraphs }) => paragraphs)).toHaveLength(2200)
})

describe('Markdown', () => {
  test('begins chapters with its headings, names the book by the one above them, and becomes plain text', async () => {
    const text = `---\ntitle: x\n---\n# The Book\n\n## One\n\nA *very* **bold** [link](http://x.y) to \`code\` &amp; ~~more~~[^1].\n\n- first\n- second\n\n\`\`\`js\nlet x\n\`\`\`\n\n> said he\n\n## Two\n\nBye<br>all  \nof you\n\n[^1]: A note.\n`
    const book = await read('x.md', text)
    expect(book.name).toBe('The Book')
    expect(await outline(read('x.md', text))).toEqual([
      ['One', 'The Book', 'One', 'A very bold link to code & more.', 'first', 'second', 'said he'],
      ['Two', 'Two', 'Byeall\nof you'],
    ])
  })
})

describe('a Word document', () => {
  const styles =
    '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>' +
    '<w:style w:styleId="Eigen"><w:name w:val="Mein Kapitel"/><w:basedOn w:val="Basis"/></w:style>' +
    '<w:style w:styleId="Basis"><w:name w:val="Basis"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>' +
    '<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style><w:style w:styleId="V1"><w:name w:val="toc 1"/></w:style>'

  test('has chapters by the style of its headings, in any language, and its title as its name', async () => {
    const body = [
      wp('Der Leuchtturm', 'Titel'),
      wp('Inhalt 3', 'V1'),
      wp('Eins', 'berschrift1'),
      wp('Es war dunkel.'),
      wp('Zwei', 'Eigen'),
      wp('Licht.'),
    ]
    const file = readFile('x.docx', docx(body.join(''), styles))
    expect((await file).name).toBe('Der Leuchtturm')
    expect(await outline(file)).toEqual([
      ['Eins', 'Der Leuchtturm', 'Eins', 'Es war dunkel.'],
      ['Zwei', 'Zwei', 'Licht.'],
    ])
  })

  test('keeps line breaks and lists, and leaves out notes, deleted and hidden words and field codes', async () => {
    const run = (inner: string) => `<w:r>${inner}</w:r>`
    const body = `<w:p>${run('<w:t>One</w:t><w:br/><w:t>Two</w:t><w:tab/><w:t>&amp; three</w:t>')}${run('<w:footnoteReference w:id="1"/>')}<w:del>${run('<w:delText>gone</w:delText>')}</w:del>${run('<w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t>')}${run('<w:instrText>PAGE</w:instrText>')}${run('<w:t>.</w:t>')}</w:p>
      <w:p><w:pPr><w:numPr/></w:pPr>${run('<w:t>An item</w:t>')}</w:p>
      <w:tbl><w:tr><w:tc>${wp('A cell')}</w:tc></w:tr></w:tbl>
      <w:p>${run(`<mc:AlternateContent><mc:Choice><w:txbxContent>${wp('A box')}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${wp('A box')}</w:txbxContent></mc:Fallback></mc:AlternateContent>`)}${run('<w:t>After.</w:t>')}</w:p>`
    expect(await outline(readFile('x.docx', docx(body)))).toEqual([
      ['Chapter 1', 'One\nTwo & three.', 'An item', 'A cell', 'A box', 'After.'],
    ])
  })
})

describe('a book', () => {
  const nav = `<li><a href="text/one.xhtml">One: <i>dark</i></a><ol><li><a href="text/two.xhtml#second">Two</a></li></ol></li><li><a href="text/two.xhtml#third">Three</a></li>`
  const pages = {
    cover: '<div epub:type="cover"><p>Cover words</p></div>',
    one: '<h1 id="a">One</h1><p>It was&nbsp;dark<a epub:type="noteref" href="#n">1</a>.<br/>Very.</p><aside epub:type="footnote" id="n"><p>A note.</p></aside><p hidden="">Hidden</p>',
    two: '<p>Still one.</p><h2 id="second">Two</h2><div>Some <b>words</b><p>in a paragraph</p>more</div><section id="third"><h2>Three</h2><p>End.</p></section>',
    notes: '<section epub:type="endnotes"><p>All notes.</p></section>',
  }
  const read = [
    ['One: dark', 'One', 'It was dark.\nVery.', 'Still one.'],
    ['Two', 'Two', 'Some words', 'in a paragraph', 'more'],
    ['Three', 'Three', 'End.'],
  ]

  test('is read in the order of its spine, with the titles of its table of contents, without cover and notes', async () => {
    const file = readFile('x.epub', epub({ pages, nav }))
    expect((await file).name).toBe('The Lighthouse & the Sea')
    expect(await outline(file)).toEqual(read)
  })

  test('has the same chapters by the older table of contents', async () => {
    const point = (title: string, src: string, inner = '') =>
      `<navPoint><navLabel><text>${title}</text></navLabel><content src="${src}"/>${inner}</navPoint>`
    const ncx =
      point('One: dark', 'text/one.xhtml', point('Two', 'text/two.xhtml#second')) +
      point('Three', 'text/two.xhtml#third')
    const guide = '<guide><reference type="cover" href="text/cover.xhtml"/></guide>'
    expect(await outline(readFile('x.epub', epub({ pages, ncx, guide })))).toEqual(read)
  })

  test('has no pages of its printed edition among the titles', async () => {
    const ncx =
      '<navPoint><navLabel><text>Epilogue</text></navLabel><content src="text/a.xhtml"/></navPoint></navMap><pageList>' +
      '<pageTarget><navLabel><text>12</text></navLabel><content src="text/a.xhtml#p"/></pageTarget></pageList><navMap>'
    expect(await outline(readFile('x.epub', epub({ pages: { a: '<p>a.</p>' }, ncx })))).toEqual([['Epilogue', 'a.']])
  })

  test('without one has chapters by its headings, or else by its pages', async () => {
    const headings = { a: '<h1>A</h1><p>a.</p>', b: '<p>more.</p>', c: '<h1>C</h1><p>c.</p>' }
    expect(await outline(readFile('x.epub', epub({ pages: headings })))).toEqual([
      ['A', 'A', 'a.', 'more.'],
      ['C', 'C', 'c.'],
    ])
    expect(await outline(readFile('x.epub', epub({ pages: { a: '<p>a.</p>', b: '<p>b.</p>' } })))).toEqual([
      ['Chapter 1', 'a.'],
      ['Chapter 2', 'b.'],
    ])
  })

  test('that a shop has locked is refused, and one with disguised fonts is not', async () => {
    const locked = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc'
    await expect(readFile('x.epub', epub({ pages, nav, encryption: locked }))).rejects.toThrow(
      'locked with copy protection',
    )
    const fonts = 'http://www.idpf.org/2008/embedding'
    expect(await outline(readFile('x.epub', epub({ pages, nav, encryption: fonts })))).toEqual(read)
  })
})

describe('subtitles', () => {
  test('become sentences without their times, tags and sounds', async () => {
    const text =
      '1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>The lighthouse</i>\r\nwas dark\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}for years.\r\n\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\n[door slams]\r\n\r\n4\r\n00:00:07,000 --> 00:00:08,000\r\n- Who is there?\r\n- Me.\r\n'
    expect(await outline(read('x.srt', text))).toEqual([
      ['Chapter 1', 'The lighthouse was dark for years.', 'Who is there?', 'Me.'],
    ])
    const close = '1\n00:00:01,000 --> 00:00:02,000\nIn the year\n1984\n2\n00:00:03,000 --> 00:00:04,000\nit was.\n'
    expect(await outline(read('x.srt', close))).toEqual([['Chapter 1', 'In the year 1984 it was.']])
    await expect(read('x.srt', 'No times.')).rejects.toThrow('no subtitles')
  })
})

describe('a file that cannot be read says so in a sentence:', () => {
  const noise = Uint8Array.from({ length: 3000 }, (_, at) => (at * 7919) % 251)
  const bomb = zipSync({ 'word/document.xml': new Uint8Array(101_000_000) })
  const damaged = docx(wp('Hello.')).slice(0, -40)
  test.each<[string, string, Uint8Array, string]>([
    ['an empty one', 'x.txt', new Uint8Array(0), 'The file is empty.'],
    ['one of blanks', 'x.txt', strToU8(' \n\n '), 'There is no text in it.'],
    ['a picture', 'x.txt', noise, 'This is not a text.'],
    ['a PDF', 'x.pdf', noise, 'Choose a text, Word, EPUB'],
    ['no ZIP', 'x.docx', noise, 'damaged, or protected'],
    ['half a ZIP', 'x.docx', damaged, 'damaged, or protected'],
    ['another ZIP', 'x.docx', zipSync({ a: strToU8('a') }), 'This is not a Word document.'],
    ['another ZIP as a book', 'x.epub', zipSync({ a: strToU8('a') }), 'This is not an EPUB book.'],
    ['an old or locked document', 'x.docx', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 1]), 'older than Word 2007'],
    ['a bomb', 'x.docx', bomb, 'far more than a book'],
    ['too long a text', 'x.txt', strToU8('A word. '.repeat(130_000)), 'a project takes 1,000,000'],
    ['too many paragraphs', 'x.txt', strToU8('One.\n\n'.repeat(5001)), 'a project takes 5,000'],
  ])('%s', async (_, name, bytes, sentence) => {
    await expect(readFile(name, bytes)).rejects.toThrow(sentence)
  })
})
