import { describe, expect, test } from 'vitest'
import type { Markup } from '../../../src/catalog/markups.ts'
import { compileLexicon } from '../../../src/lexicon/compile-lexicon.ts'
import { readScript } from '../../../src/voice/markup/read-script.ts'
import { applyLexicon } from '../../../src/voice/markup/script.ts'
import { OffsetMap } from '../../../src/voice/timing/offset-map.ts'

const read = (text: string, markup: Markup = 'ssml') => {
  const { segments, characters } = readScript(text, markup)
  return {
    characters,
    segments: segments.map(({ spans, manner, silenceMs }) => {
      const spoken = spans
        .map((span) => span.spoken)
        .join('')
        .trim()
      return [spoken, ...(silenceMs > 0 ? [silenceMs] : []), ...(Object.keys(manner).length > 0 ? [manner] : [])]
    }),
  }
}

const attempt = (text: string, markup: Markup): void => {
  try {
    readScript(text, markup)
  } catch (error) {
    expect((error as Error).name).toBe('MarkupViolation')
  }
}

describe('a text in any Unicode form', () => {
  const NFC = 'Müller, ёжик й, 한국어, ガギ, Việt; sẽ q̃ und Å.'
  const spokenOf = (text: string, markup: Markup) =>
    readScript(text, markup)
      .segments.flatMap(({ spans }) => spans.map(({ spoken }) => spoken))
      .join('')

  test('is spoken in its composed form, charged as it was submitted', () => {
    for (const markup of ['none', 'pauses', 'ssml'] as const) {
      expect(spokenOf(NFC.normalize('NFD'), markup).trim()).toBe(NFC)
      expect(readScript(NFC.normalize('NFD'), markup).characters).toBe([...NFC.normalize('NFD')].length)
    }
  })

  test('has each composed character stand for all that it was submitted as', () => {
    const submitted = 'Mu\u0308ller mag \u1112\u1161\u11ab.'
    const map = new OffsetMap(
      submitted,
      readScript(submitted, 'none').segments.flatMap(({ spans }) => spans),
    )
    expect(map.spoken).toBe('Müller mag 한.')
    const submittedOf = (word: string) => {
      const start = map.spoken.indexOf(word)
      const range = map.toSubmitted({ start, end: start + word.length })
      return submitted.slice(range.start, range.end)
    }
    expect(['Müller', 'ü', 'mag', '한'].map(submittedOf)).toEqual([
      'Mu\u0308ller',
      'u\u0308',
      'mag',
      '\u1112\u1161\u11ab',
    ])
    expect(map.heard()).toEqual([{ start: 0, end: submitted.length }])
  })

  test('composes what markup takes apart, and aliases', () => {
    expect(spokenOf('<speak>Mu&#x308;ller</speak>', 'ssml').trim()).toBe('Müller')
    expect(spokenOf('<speak><sub alias="Mu\u0308ller">x</sub> Mu\u0308ller</speak>', 'ssml').trim()).toBe(
      'Müller Müller',
    )
  })
})

describe('pauses', () => {
  const charged = (text: string, markup: Markup = 'ssml') => readScript(text, markup).characters

  test('cost a character for each full 100 ms beyond 2 s that markup adds to those of plain text', () => {
    expect(charged('<speak>ab<break time="2s"/>c</speak>')).toBe(3)
    expect(charged('<speak>ab<break time="2099ms"/>c</speak>')).toBe(3)
    expect(charged('<speak>ab<break strength="strong"/><break time="1.25s"/>c</speak>')).toBe(5)
    expect(charged('ab[pause:10s]c[pause:1s]', 'pauses')).toBe(3 + 90)
    expect(charged(`<speak><prosody rate="25%">${'<p>a</p>'.repeat(3)}</prosody></speak>`)).toBe(3 + 16)
    expect(charged(`<speak>${'<p></p>'.repeat(50)}a</speak>`)).toBe(1)
  })

  test('are no longer than 20 s, and a second more for each character', () => {
    const isTooSilent = (text: string) => readScript(text, 'pauses').isTooSilent
    expect(isTooSilent('a[pause:10s][pause:10s][pause:1s]')).toBe(false)
    expect(isTooSilent('a[pause:10s][pause:10s][pause:1001ms]')).toBe(true)
  })
})

describe('signs that make no tag', () => {
  test.each([
    ['5 < 6 and 7 > 6', '5 < 6 and 7 > 6'],
    ['AT&T', 'AT&T'],
    ['<speak>AT&T: 5 < 6, a &amp; b <3</speak>', 'AT&T: 5 < 6, a & b <3'],
    ['<speak><sub alias="AT&T">x</sub></speak>', 'AT&T'],
  ])('%s is spoken as it stands there', (text, spoken) => expect(read(text).segments).toEqual([[spoken]]))

  test('a voice without a name, or with a language alone, is the one of the job', () => {
    expect(read('<speak><voice>x</voice><voice language="de-DE">Hallo</voice></speak>').segments).toEqual([
      ['x'],
      ['Hallo', { language: 'German' }],
    ])
  })
})

describe('markup', () => {
  test('pauses are silence between two stretches, and are not charged', () => {
    expect(read('One. [pause:1.5s]Two[pause: 500ms]', 'pauses')).toEqual({
      characters: 8,
      segments: [
        ['One.', 1500],
        ['Two', 500],
      ],
    })
    expect(read('A [pause] and <b>', 'pauses').segments).toEqual([['A [pause] and <b>']])
  })

  test.each([
    ['<p><s>One.</s><s>Two.</s></p><p><s>Three.</s></p>', ['sentence', 'paragraph', 'paragraph']],
    ['\n <p>\n  <s>One.</s>\n  <s>Two.</s>\n </p>\n <p>Three.</p>\n', ['sentence', 'paragraph', 'paragraph']],
    ['<p>One <prosody rate="slow">slow.</prosody></p><p>Two.</p>', ['none', 'paragraph', 'paragraph']],
    ['<p><voice name="a">One.</voice></p><p><voice name="b">Two.</voice></p>', ['paragraph', 'paragraph']],
    ['<s><lang xml:lang="de">Hallo.</lang></s><s>Two.</s>', ['sentence', 'sentence']],
    ['<p>One.<break time="1s"/></p>Two.', ['paragraph', 'none']],
  ])('what ends with another element pauses as long as what ends last: %s', (inner, pauses) => {
    const { segments } = readScript(`<speak>${inner}</speak>`, 'ssml')
    const words = segments.filter(({ spans }) => spans.some(({ spoken }) => spoken.trim() !== ''))
    expect(words.map(({ pause }) => pause)).toEqual(pauses)
  })

  test.each(['Übung', '한글'])('%s is spelled alike whether its letters are composed or not', (word) => {
    const spelled = (letters: string) => `<speak><say-as interpret-as="characters">${letters}</say-as></speak>`
    const [composed, apart] = [read(spelled(word.normalize('NFC'))), read(spelled(word.normalize('NFD')))]
    expect(apart.segments).toEqual(composed.segments)
    expect(composed.segments).toEqual([[[...word.normalize('NFC')].join(' ').toUpperCase()]])
    expect(apart.characters).toBe([...word.normalize('NFD')].length)
    const text = spelled(word.normalize('NFD'))
    const { spans } = readScript(text, 'ssml').segments[0]!
    expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(word.normalize('NFD'))
  })

  test('a letter to be spelled and its mark belong together, whichever of them is a character reference', () => {
    const spelled = (letters: string) => `<speak><say-as interpret-as="characters">${letters}</say-as></speak>`
    for (const letters of [
      'cafe&#769;s',
      'caf&#101;\u0301s',
      'caf&#x65;&#x301;s',
      'cafe&#769;<!-- so --><mark name="m"/>s',
    ]) {
      const text = spelled(letters)
      const { segments, characters } = read(text)
      expect(segments).toEqual([['C A F \u00c9 S']])
      expect(characters).toBe(6)
      const { spans } = readScript(text, 'ssml').segments[0]!
      expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(letters.replace(/<.*>/, ''))
    }
    expect(read(spelled('&#x1F600;a')).segments).toEqual([['\u{1F600} A']])
  })

  test('white space at the ends of what an alias replaces is still between words', () => {
    const of = (inner: string) => read(`<speak>the<sub alias="Web">${inner}</sub>says</speak>`).segments
    expect(of(' W3 ')).toEqual([['the Web says']])
    expect(of('W3')).toEqual([['theWebsays']])
  })

  test('SSML is spoken without its tags: breaks, aliases, letters, languages, voices and rates', () => {
    const text = `<?xml version="1.0"?>
      <speak><p>Salt &amp; pepper.</p><!-- no --><break time="1s"/><sub alias="World Wide Web">WWW</sub>
      <say-as interpret-as="characters">ab</say-as><lang xml:lang="de-DE">Hallo <prosody rate="80%">Du</prosody></lang>
      <voice name="otto">Hi</voice><emphasis>so</emphasis><mark name="m"/></speak>`
    const { segments } = read(text)
    expect(segments.filter(([spoken, ...more]) => spoken !== '' || more.length > 0)).toEqual([
      ['Salt & pepper.'],
      ['', 1000],
      [expect.stringMatching(/^World Wide Web\s+A B$/)],
      ['Hallo', { language: 'German' }],
      ['Du', { language: 'German', rate: 0.8 }],
      ['Hi', { voice: 'otto' }],
      ['so'],
    ])
  })

  test('a paragraph, a sentence and a voice say in which language they are, as the specification has it', () => {
    const text = `<speak xml:lang="en"><p xml:lang="de">Hallo. <s xml:lang="fr">Bonjour.</s></p><s>Hello.</s>
      <voice name="otto" xml:lang="it">Ciao.</voice></speak>`
    expect(read(text).segments.filter(([spoken]) => spoken !== '')).toEqual([
      ['Hallo.', { language: 'German' }],
      ['Bonjour.', { language: 'French' }],
      ['Hello.', { language: 'English' }],
      ['Ciao.', { language: 'Italian', voice: 'otto' }],
    ])
    // Such texts have always been accepted.
    expect(read('<speak><p xml:lang="tlh">x</p><s xml:lang="">y</s></speak>').segments).toEqual(
      read('<speak><p>x</p><s>y</s></speak>').segments,
    )
  })

  test('what is charged is the text without tags, an alias where it is longer', () => {
    expect(read('<speak>Hello <break time="1s"/>world</speak>').characters).toBe(11)
    expect(read('<speak><sub alias="World Wide Web">WWW</sub></speak>').characters).toBe(14)
    expect(read('<speak><sub alias="W">World</sub></speak>').characters).toBe(5)
    expect(read('<speak><sub alias="W">World <sub alias="Wi">Wide</sub> Web</sub></speak>').characters).toBe(14)
    expect(read('Salt & pepper').characters).toBe(13)
  })

  test.each([
    ['<speak>', /without its end/],
    ['<speak><p></speak>', /<\/speak> where it does not belong/],
    ['Hello <b>you</b>', /must begin with <speak>/],
    ['<speak>&lol;</speak>', /an entity/],
    ['<speak a="&lol;">x</speak>', /an entity/],
    ['<!DOCTYPE speak><speak>a</speak>', /at character 1, a document type/],
    ['<!-- a --> Hello <b>you</b>', /text outside of <speak>/],
    ['<speak>a<break strength="bogus"/></speak>', /strength is one of none, x-weak, weak, medium, strong, x-strong$/],
    ['<speak>a<break time="bogus"/></speak>', /time is such as 1.5s/],
    ['<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "b">]><speak>&a;</speak>', /a document type/],
    [`<speak>${'<p>'.repeat(16)}${'</p>'.repeat(16)}</speak>`, /more than 16 elements/],
    ['<speak><break time="11s"/>a</speak>', /a break/],
    [`<speak>${'<break time="10s"/>'.repeat(31)}a</speak>`, /300 s of pauses/],
    ['<speak a="1" a="2">x</speak>', /twice/],
    ['<speak>x</speak>y', /text outside/],
    ['<speak><lang xml:lang="tlh">x</lang></speak>', /language "tlh"/],
    ['<speak><prosody rate="500%">x</prosody></speak>', /rate/],
    ['<speak>&#0;</speak>', /character that is not allowed/],
    ['<speak>a <b & c</speak>', /no well-formed tag/],
  ])('%s is refused in words', (text, message) => {
    expect(() => readScript(text, 'ssml')).toThrow(message)
  })

  test('a comment may stand in front of everything', () => {
    expect(read('<!-- by hand -->\n<speak>One.</speak>', 'ssml').segments).toEqual([['One.']])
  })

  test.each(['[pause:2 s]', '[pause: 2 s ]', '[pause:2000 ms]', '[pause:2s]'])('%s is two seconds', (tag) => {
    expect(readScript(`One.${tag}Two.`, 'pauses').segments.map(({ silenceMs }) => silenceMs)).toEqual([2000, 0])
  })

  test.each(['[pause:11s]a', '[pause:soon]a', '[pause:1s a'])('%s is refused in words', (text) => {
    expect(() => readScript(text, 'pauses')).toThrow(/cannot be read/)
  })

  test('a lexicon reaches over entities, leaves aliases of the markup alone, and offsets point into what was submitted', async () => {
    const text = '<speak>At AT&amp;T <sub alias="SQL">x</sub> is SQL.</speak>'
    const lexicon = await compileLexicon([
      { grapheme: 'AT&T', alias: 'the company' },
      { grapheme: 'SQL', alias: 'sequel' },
    ])
    const script = applyLexicon(readScript(text, 'ssml'), text, lexicon, undefined)
    const map = new OffsetMap(
      text,
      script.segments.flatMap(({ spans }) => spans),
    )
    expect(map.spoken.trim()).toBe('At the company SQL is sequel.')
    const submitted = (spoken: string) => {
      const start = map.spoken.indexOf(spoken)
      const range = map.toSubmitted({ start, end: start + spoken.length })
      return text.slice(range.start, range.end)
    }
    expect(submitted('the company')).toBe('AT&amp;T')
    expect(submitted('sequel')).toBe('SQL')
    expect(submitted('is')).toBe('is')
    expect(submitted('SQL')).toBe('x')
  })

  test.each([
    ['World <sub alias="W">Wide</sub> Web', 'World <sub alias="W">Wide</sub> Web'],
    ['World <sub alias="W">Wide</sub>', 'World <sub alias="W">Wide'],
    ['World <sub alias="W"/>', 'World '],
    ['<sub alias="W">World</sub> Web', 'World</sub> Web'],
  ])('an alias stands for all of its text, also where another one is within: %s', (inner, expected) => {
    const text = `<speak>The <sub alias="net">${inner}</sub></speak>`
    const { spans } = readScript(text, 'ssml').segments[0]!
    const { start, end } = spans.find(({ spoken }) => spoken === 'net')!
    expect(text.slice(start, end)).toBe(expected)
  })

  test('documents that were made to be slow are not', () => {
    const begun = process.threadCpuUsage().user
    for (const text of ['<', '<a ', '<!--', '&', '<![CDATA[', '[pause:', '<speak>'])
      for (const markup of ['ssml', 'pauses'] as const) attempt(`<speak>${text.repeat(9000 / text.length)}`, markup)
    expect((process.threadCpuUsage().user - begun) / 1000).toBeLessThan(1000)
  })
})
