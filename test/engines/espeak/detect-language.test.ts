import { expect, test } from 'vitest'
import { detectLanguage, LANGUAGES, type Language } from '../../../src/engines/espeak/detect-language.ts'
import { ownLanguage } from '../../../src/engines/espeak/espeak-voice.ts'
import { PHRASES } from '../../setup/speech/phrases.ts'
import { SENTENCES } from '../../setup/speech/sentences.ts'

const SAMPLES: readonly (readonly [Language, string])[] = [
  [
    'English',
    'Hello|Hello scenario|Good morning|Thank you|How are you?|Nice to meet you|Where is the station?|This is a test.|Yes',
  ],
  [
    'French',
    'Bonjour|Bonjour tout le monde|Merci|Ça va ?|Où est la gare ?|Ceci est un test.|Comment allez-vous ?|Je suis content.',
  ],
  ['German', 'Hallo|Hallo Welt|Guten Morgen|Danke|Wie geht es dir?|Wo ist der Bahnhof?|Das ist ein Test.|Tschüss'],
  ['Italian', 'Ciao|Ciao mondo|Buongiorno|Grazie|Come stai?|Dov’è la stazione?|Questo è un test.'],
  ['Spanish', 'Hola|Hola mundo|Buenos días|Gracias|¿Cómo estás?|¿Dónde está la estación?|Esto es una prueba.'],
  ['Portuguese', 'Olá|Olá mundo|Bom dia|Obrigado|Como você está?|Onde fica a estação?|Isto é um teste.'],
  ['Russian', 'Привет|Привет, мир|Доброе утро|Где находится вокзал?'],
  ['Chinese', '你好|你好，世界|早上好|车站在哪里？|我喜欢iPhone手机'],
  ['Japanese', 'こんにちは|おはようございます|駅はどこですか？|東京タワー|カタカナ'],
  ['Korean', '안녕하세요|좋은 아침입니다|역이 어디에 있습니까?|KTX 타고 갑시다'],
]

for (const [language, samples] of SAMPLES) {
  test.each(samples.split('|'))(`%j is ${language}`, (text) => expect(detectLanguage(text)).toBe(language))
}

test.each(['', '12345', '!?', '🎉', ' \n'])('%j is of no language', (text) =>
  expect(detectLanguage(text)).toBeUndefined(),
)

test('one foreign word does not turn a text', () => {
  expect(detectLanguage('Yesterday I learned that the word 你好 means hello in Mandarin.')).toBe('English')
  expect(detectLanguage('Вчера я купил новый iPhone в магазине.')).toBe('Russian')
})

test('the longest sample of prose is judged in little time', () => {
  const prose = LANGUAGES.map((language) => [language, SENTENCES[language].replaceAll('|', ' ')] as const)
  for (const [language, text] of prose) expect(detectLanguage(text)).toBe(language)
  const before = process.threadCpuUsage().user
  for (let times = 0; times < 50; times++) for (const [, text] of prose) detectLanguage(text)
  expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(300)
})

test('a short text whose frequent words are tied goes to the letter statistics, then to its marks', () => {
  // `a` is Portuguese and `of` English; `la` is of three languages.
  expect(detectLanguage('A second of sound.')).toBe('English')
  expect(detectLanguage('La niña')).toBe('Spanish')
})

const entries = (lists: Readonly<Record<string, string>>) =>
  Object.entries(lists).map(([language, list]) => [language as Language, list.split('|')] as const)

test.each(entries(PHRASES))('everyday phrases are spoken in the language of their voice: %s', (own, phrases) => {
  expect(phrases.length).toBeGreaterThan(100)
  expect(phrases.filter((phrase) => (detectLanguage(phrase, own) ?? own) !== own)).toEqual([])
})

test.each(entries(SENTENCES))(
  'a clear sentence is spoken in its own language whatever the voice: %s',
  (language, all) => {
    expect(all).toHaveLength(30)
    const missed = (own?: Language) => all.filter((sentence) => detectLanguage(sentence, own) !== language).length
    expect(missed('English')).toBeLessThanOrEqual(2)
    expect(missed('German')).toBeLessThanOrEqual(2)
    expect(missed(language)).toBe(0)
    expect(missed()).toBeLessThanOrEqual(2)
  },
)

test.each<[string, Language, Language]>([
  ['Guten Tag', 'English', 'German'],
  ['Wo ist der Bahnhof?', 'English', 'German'],
  ['¿Qué?', 'English', 'Spanish'],
  ['Да', 'English', 'Russian'],
  ['はい', 'English', 'Japanese'],
  ['네', 'German', 'Korean'],
  ['你好', 'French', 'Chinese'],
  ['学生', 'Japanese', 'Japanese'],
  ['OK', 'Russian', 'Russian'],
  ['Leonardo da Vinci painted La Gioconda in Florence, Italy', 'English', 'English'],
  ['Ask maria.de.la.cruz@example.com or see https://example.com/de/la/el', 'English', 'English'],
  ['Bundeskanzler überraschend zurückgetreten, Neuwahlen voraussichtlich Anfang März', 'English', 'German'],
  ['Naïve café owners serve jalapeño crème brûlée everywhere', 'English', 'English'],
  ['Beyoncé sings tonight: Zürich, São Paulo, München, Köln', 'English', 'English'],
  ['ERROR: NO DATA, NO SIGNAL, NO POWER, NO FUEL', 'English', 'English'],
])('%j by a voice of %s is %s', (text, own, language) => expect(detectLanguage(text, own)).toBe(language))

test.each<[string | null, string | null, Language | undefined]>([
  ['en-us+f3@60', null, 'English'],
  ['cmn', null, 'Chinese'],
  ['pt-br+m3', null, 'Portuguese'],
  ['de_DE-thorsten-medium', null, 'German'],
  ['0', 'Korean', 'Korean'],
  ['en-us+f3', 'German', 'German'],
  ['Vivian', null, undefined],
  ['af_heart', null, undefined],
  [null, null, undefined],
])('the voice %j that was said to be %j has %j as its own', (engineVoice, language, own) =>
  expect(ownLanguage({ engineVoice, language })).toBe(own),
)
