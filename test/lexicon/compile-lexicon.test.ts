import { describe, expect, test } from 'vitest'
import { compileLexicon, type LexiconEntry } from '../../src/lexicon/compile-lexicon.ts'

const said = async (text: string, entries: readonly LexiconEntry[], language?: string): Promise<string> => {
  let [made, at] = ['', 0]
  for (const { start, end, alias } of (await compileLexicon(entries)).find(text, language)) {
    made += text.slice(at, start) + alias
    at = end
  }
  return made + text.slice(at)
}
const entry = (grapheme: string, alias: string, language?: string) => ({ grapheme, alias, language })

describe('a lexicon', () => {
  test('says the longest entry at borders of words alone, over any white space', async () => {
    const entries = [entry('new york', 'NY'), entry('new york city', 'the city'), entry('cat', 'feline')]
    expect(await said('New\n York and new  york city: a cat, cats, concat.', entries)).toBe(
      'NY and the city: a feline, cats, concat.',
    )
  })

  test('an entry with a capital stands for exactly that, one without for itself in any case', async () => {
    const entries = [entry('US', 'United States'), entry('us', 'we'), entry('sql', 'sequel')]
    expect(await said('US, us, Us; SQL, sql', entries)).toBe('United States, we, we; sequel, sequel')
  })

  test('of two of one length the one for the language holds, and one for another language never does', async () => {
    const entries = [entry('die', 'dye'), entry('die', 'dee', 'German'), entry('chat', 'shah', 'French')]
    expect(await said('die chat', entries, 'German')).toBe('dee chat')
    expect(await said('die chat', entries, 'French')).toBe('dye shah')
    expect(await said('die chat', entries)).toBe('dye chat')
  })

  test('the words for a sign stand apart from the number or word beside it, and in Korean and Japanese they do not', async () => {
    const entries = [
      entry('$', 'bucks'),
      entry('5', 'fiver'),
      entry('#', '番', 'Japanese'),
      entry('앱', '애플리케이션'),
    ]
    expect(await said('$1005, 7$, US$7, $5, a $ sign', entries)).toBe(
      'bucks 1005, 7 bucks, US bucks 7, bucks fiver, a bucks sign',
    )
    expect(await said('#3と앱을', entries, 'Japanese')).toBe('番3と앱을')
    expect(await said('앱 2개', entries)).toBe('애플리케이션 2개')
  })

  test('signs, elisions, possessives, decimals, accents and scripts without spaces have their borders', async () => {
    const entries = [
      entry('API', 'interface'),
      entry('C++', 'see plus plus'),
      entry('don', 'Donald'),
      entry('3', 'three'),
      entry('café', 'coffee'),
      entry('東京', 'Tokyo'),
      entry('AT&T', 'the company'),
    ]
    expect(await said("The API's l'API, don't; C++11 3.5 3", entries)).toBe(
      "The interface's l'interface, don't; see plus plus 11 3.5 three",
    )
    expect(await said('cafe\u0301 café 東京タワー AT&T API를 user_API', entries)).toBe(
      'coffee coffee Tokyoタワー the company interface를 user_API',
    )
  })

  test('any apostrophe is any other, in the entry and in the text', async () => {
    const entries = [entry("don't", 'do not'), entry('rock ’n’ roll', 'music'), entry('API', 'interface')]
    const text = "don't don’t don‘t donʼt don＇t Don’t; rock 'n' roll, rock ‘n’ roll; the APIʼs l’API"
    expect(await said(text, entries)).toBe(
      'do not do not do not do not do not do not; music, music; the interfaceʼs l’interface',
    )
    expect(await said("don't", [entry('don’t', 'do not')])).toBe('do not')
  })

  test('entry and alias may be in either Unicode form', async () => {
    expect(await said('Zoë Zoe\u0308', [entry('zoe\u0308', 'Mu\u0308ller')])).toBe('Müller Müller')
  })

  test('offsets are those of the text, also where its capitals are longer than its small letters', async () => {
    const text = 'İstanbul İİ SQL'
    const lexicon = await compileLexicon([entry('sql', 'x')])
    expect(lexicon.find(text, undefined)).toEqual([{ start: 12, end: 15, alias: 'x' }])
  })
})
