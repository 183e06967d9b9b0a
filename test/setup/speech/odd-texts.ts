import type { Language } from '../../../src/engines/espeak/detect-language.ts'

/** The parts of a text in each language: prose, a word, an interjection, answers, a name, a letter, and marks of its script. */
interface Parts {
  readonly prose: string
  readonly more: string
  readonly word: string
  readonly cry: string
  readonly answers: readonly string[]
  readonly name: string
  readonly letters: string
  readonly chapter: string
  readonly stops: string
  readonly bangs: string
  readonly quotes: readonly [string, string]
  readonly amount: string
  readonly foreign: string
}

const PARTS: Readonly<Record<Language, Parts>> = {
  English: {
    prose: 'The old harbour wakes long before the city does, and boats leave in the dark.',
    more: 'Nobody knows who lit the lamp',
    word: 'Congratulations',
    cry: 'Great',
    answers: ['No', 'Yes', 'I', 'Go', 'OK', 'Oh', 'A'],
    name: 'Dr. Siobhán O’Neill-Smith',
    letters: 'A B C D E F G H I J K',
    chapter: 'Introduction',
    stops: '...',
    bangs: '!!!',
    quotes: ['“', '”'],
    amount: '$1,299.99',
    foreign: 'The word Gemütlichkeit and the word 東京 are known.',
  },
  Chinese: {
    prose: '老港口在城市醒来之前很久就已经醒了，渔船在黑暗中一艘接一艘地离开码头，岸上的灯一盏一盏地熄灭。',
    more: '没有人知道是谁点亮了那盏灯',
    word: '恭喜',
    cry: '太好了',
    answers: ['不', '好', '是', '嗯', '啊'],
    name: '王小明',
    letters: '甲乙丙丁戊己庚辛',
    chapter: '第一章',
    stops: '……',
    bangs: '！！！',
    quotes: ['“', '”'],
    amount: '￥1,299.99',
    foreign: '我喜欢用 Python 写程序，也喜欢看 YouTube。',
  },
  Japanese: {
    prose: 'ふるいみなとはまちよりもずっとはやくめをさまし、ふねはくらいうちにうみへでていきます。',
    more: 'だれがあかりをつけたのかはわからない',
    word: 'おめでとう',
    cry: 'すごい',
    answers: ['いいえ', 'はい', 'え', 'うん', 'あ'],
    name: '田中さくら',
    letters: 'あいうえおかきくけこ',
    chapter: 'はじめに',
    stops: '……',
    bangs: '！！！',
    quotes: ['「', '」'],
    amount: '1,299円',
    foreign: 'わたしは Python と東京がすきです。',
  },
  Korean: {
    prose: '오래된 항구는 도시보다 훨씬 먼저 깨어나고, 배들은 어둠 속에서 하나둘 바다로 떠나며 등불은 천천히 꺼집니다.',
    more: '누가 등불을 켰는지 아무도 모른다',
    word: '축하합니다',
    cry: '최고',
    answers: ['네', '예', '아니요', '응', '아'],
    name: '김민수',
    letters: '가 나 다 라 마 바 사',
    chapter: '들어가며',
    stops: '...',
    bangs: '!!!',
    quotes: ['‘', '’'],
    amount: '₩12,000',
    foreign: '저는 Python과 YouTube를 좋아합니다.',
  },
  French: {
    prose: 'Le vieux port se réveille bien avant la ville, et les bateaux partent dans le noir.',
    more: 'Personne ne sait qui a allumé la lampe',
    word: 'Félicitations',
    cry: 'Génial',
    answers: ['Non', 'Oui', 'Ah', 'Eh', 'À'],
    name: 'Jean-François Lefèvre',
    letters: 'A B C D E F G H I J K',
    chapter: 'Avant-propos',
    stops: '…',
    bangs: ' !!!',
    quotes: ['« ', ' »'],
    amount: '1 299,99 €',
    foreign: 'Le mot weekend et le mot Zeitgeist sont connus.',
  },
  German: {
    prose: 'Der alte Hafen erwacht lange vor der Stadt, und die Boote fahren im Dunkeln hinaus.',
    more: 'Niemand weiß, wer die Lampe angezündet hat',
    word: 'Herzlichen Glückwunsch',
    cry: 'Toll',
    answers: ['Nein', 'Ja', 'Ach', 'Du', 'O'],
    name: 'Jürgen Müller-Lüdenscheidt',
    letters: 'A B C D E F G H I J K',
    chapter: 'Einleitung',
    stops: '...',
    bangs: '!!!',
    quotes: ['„', '“'],
    amount: '1.299,99 €',
    foreign: 'Das Meeting im Headquarter war ein Highlight.',
  },
  Italian: {
    prose: 'Il vecchio porto si sveglia molto prima della città, e le barche partono nel buio.',
    more: 'Nessuno sa chi ha acceso la lampada',
    word: 'Complimenti',
    cry: 'Fantastico',
    answers: ['No', 'Sì', 'Eh', 'Ah', 'È'],
    name: 'Niccolò D’Angelo',
    letters: 'A B C D E F G H I L M',
    chapter: 'Introduzione',
    stops: '...',
    bangs: '!!!',
    quotes: ['«', '»'],
    amount: '1.299,99 €',
    foreign: 'Il computer e lo smartphone sono in download.',
  },
  Spanish: {
    prose: 'El viejo puerto despierta mucho antes que la ciudad, y los barcos salen en la oscuridad.',
    more: 'Nadie sabe quién encendió la lámpara',
    word: 'Felicidades',
    cry: '¡Genial',
    answers: ['No', 'Sí', 'Ay', 'Eh', 'Y'],
    name: 'María José Núñez',
    letters: 'A B C D E F G H I J K',
    chapter: 'Introducción',
    stops: '...',
    bangs: '!!!',
    quotes: ['«', '»'],
    amount: '1.299,99 €',
    foreign: 'El software y el marketing son palabras inglesas.',
  },
  Portuguese: {
    prose: 'O velho porto acorda muito antes da cidade, e os barcos partem na escuridão.',
    more: 'Ninguém sabe quem acendeu a lâmpada',
    word: 'Parabéns',
    cry: 'Ótimo',
    answers: ['Não', 'Sim', 'Oi', 'Ah', 'É'],
    name: 'João Gonçalves',
    letters: 'A B C D E F G H I J K',
    chapter: 'Introdução',
    stops: '...',
    bangs: '!!!',
    quotes: ['“', '”'],
    amount: 'R$ 1.299,99',
    foreign: 'O software e o marketing são palavras inglesas.',
  },
  Russian: {
    prose: 'Старый порт просыпается задолго до города, и лодки уходят в море ещё в темноте.',
    more: 'Никто не знает, кто зажёг лампу',
    word: 'Поздравляю',
    cry: 'Отлично',
    answers: ['Нет', 'Да', 'Я', 'Ой', 'И'],
    name: 'Анна Сергеевна Ковалёва',
    letters: 'А Б В Г Д Е Ж З И К',
    chapter: 'Введение',
    stops: '...',
    bangs: '!!!',
    quotes: ['«', '»'],
    amount: '1299,99 руб.',
    foreign: 'Слова Python и YouTube знают все.',
  },
}

interface OddText {
  readonly language: Language
  readonly text: string
}

/** Short and odd texts of one language: what is written to a speech service besides prose. */
function oddTextsIn(parts: Parts): string[] {
  const { prose, more, word, cry, answers, name, letters, chapter, stops, bangs, quotes, amount, foreign } = parts
  const [open, close] = quotes
  const [bang, stop] = [bangs.slice(-1), stops.slice(-1)]
  return [
    prose,
    word,
    ...answers,
    `${answers[0]}${stops}`,
    `${answers[1]}${stop.repeat(12)}`,
    `${word}${bangs}${bangs}`,
    `${cry}${bang.repeat(20)}`,
    `${answers[0]}${'?'.repeat(8)}`,
    `${answers[0]}？！？！？！`,
    `${open}${answers[1]}${bangs}${close}`,
    `(([${open}${word}${close}]))`,
    `${cry}${bangs} 🎉🎉🎉🎉🎉`,
    `${more} 👍🏽👨‍👩‍👧‍👦🇫🇷❤️`,
    `${word}: ★★★★★`,
    `${word} *** ### ~~~ ||| ===`,
    `1000000000000`,
    `1234567890`,
    `${word}: 314159265358979323846`,
    `${word} 2024-11-28 09:30`,
    letters,
    'AAAAAAAAAAAA',
    `${answers[0]!.slice(-1).repeat(15)}`,
    `1. ${chapter} ${'.'.repeat(60)} 7\n2. ${word} ${'.'.repeat(64)} 23`,
    `${chapter} ${'. '.repeat(40)}12\n\n${more}.`,
    `${'-'.repeat(60)}\n${more}\n${'-'.repeat(60)}`,
    `${name}: ${'_'.repeat(40)}`,
    name,
    'NATO, UNESCO, HTML',
    `https://example.com/docs/v2?page=3&sort=asc#top`,
    `anna.schmidt+news@mail.example.org`,
    `${amount} – 50 % – ±3`,
    `# ${chapter}\n\n- **${word}**\n- *${cry}*\n\n> ${more}`,
    foreign,
    'for (let i = 0; i < 10; i++) { sum += values[i] * 2; }',
    `| ${word} | 12 | 3.5 |\n|---|---|---|\n| ${cry} | 7 | 99.9 |`,
    `${more}, ${word}; ${more}: ${cry}.`,
  ]
}

export const ODD_TEXTS: readonly OddText[] = Object.entries(PARTS).flatMap(([language, parts]) =>
  oddTextsIn(parts).map((text) => ({ language: language as Language, text })),
)
