import { expect, test } from 'vitest'
import { detectLanguage, type Language } from '../../../src/engines/espeak/detect-language.ts'

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

test('a short text whose frequent words are tied goes to the letter statistics, then to its marks', () => {
  // `a` is Portuguese and `of` English; `la` is of three languages.
  expect(detectLanguage('A second of sound.')).toBe('English')
  expect(detectLanguage('La niña')).toBe('Spanish')
})
