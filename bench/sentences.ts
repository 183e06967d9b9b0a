import type { SpeechRequest } from '../src/engines/engine.ts'
import type { Language } from '../src/engines/espeak/detect-language.ts'
import { ESPEAK_LANGUAGES } from '../src/engines/espeak/espeak-voice.ts'

export interface Sentence {
  readonly text: string
  readonly language: Language
  /** As eSpeak NG names it, with the speaker. */
  readonly voice: string
}

const SPEAKERS = ['f3', 'm3', 'f1', 'm7']

/** Four openings and five endings of different lengths: twenty sentences. */
const PARTS: Readonly<Record<Language, readonly [readonly string[], readonly string[]]>> = {
  English: [
    ['Good morning, ', 'Please listen: ', 'As I told you yesterday, ', 'On the third of May, '],
    [
      'it rains.',
      'the train leaves at half past nine.',
      'we will meet at the station and walk along the river.',
      'nobody had expected that the old house would still stand after so many winters.',
      'the report has 24 pages, costs 18 dollars, and answers every question that you asked.',
    ],
  ],
  German: [
    ['Guten Morgen, ', 'Hören Sie bitte: ', 'Wie ich gestern sagte: ', 'Am dritten Mai hieß es: '],
    [
      'es regnet.',
      'der Zug fährt um halb zehn.',
      'wir treffen uns am Bahnhof und gehen am Fluss entlang.',
      'niemand hatte erwartet, dass das alte Haus nach so vielen Wintern noch steht.',
      'der Bericht hat 24 Seiten, kostet 18 Euro und beantwortet jede Frage.',
    ],
  ],
  French: [
    ['Bonjour, ', 'Écoutez bien : ', 'Comme je l’ai dit hier, ', 'Le trois mai, '],
    [
      'il pleut.',
      'le train part à neuf heures et demie.',
      'nous allons à la gare et nous marchons le long de la rivière.',
      'personne ne pensait que la vieille maison serait encore debout après tant d’hivers.',
      'le rapport a 24 pages, coûte 18 euros et répond à toutes vos questions.',
    ],
  ],
  Spanish: [
    ['Buenos días, ', 'Escuche, por favor: ', 'Como le dije ayer, ', 'El tres de mayo, '],
    [
      'está lloviendo.',
      'el tren sale a las nueve y media.',
      'nos vemos en la estación y caminamos junto al río.',
      'nadie esperaba que la vieja casa siguiera en pie después de tantos inviernos.',
      'el informe tiene 24 páginas, cuesta 18 euros y responde a todas las preguntas.',
    ],
  ],
  Italian: [
    ['Buongiorno, ', 'Ascolti, per favore: ', 'Come dicevo ieri, ', 'Il tre maggio, '],
    [
      'piove.',
      'il treno parte alle nove e mezza.',
      'ci vediamo alla stazione e camminiamo lungo il fiume.',
      'nessuno pensava che la vecchia casa fosse ancora in piedi dopo tanti inverni.',
      'il rapporto ha 24 pagine, costa 18 euro e risponde a tutte le domande.',
    ],
  ],
  Portuguese: [
    ['Bom dia, ', 'Escute, por favor: ', 'Como eu disse ontem, ', 'No dia três de maio, '],
    [
      'está chovendo.',
      'o trem parte às nove e meia.',
      'vamos nos encontrar na estação e caminhar ao longo do rio.',
      'ninguém esperava que a velha casa ainda estivesse de pé depois de tantos invernos.',
      'o relatório tem 24 páginas, custa 18 euros e responde a todas as perguntas.',
    ],
  ],
  Russian: [
    ['Доброе утро, ', 'Послушайте: ', 'Как я сказал вчера, ', 'Третьего мая '],
    [
      'идёт дождь.',
      'поезд отходит в половине десятого.',
      'мы встретимся на вокзале и пойдём вдоль реки.',
      'никто не ожидал, что старый дом ещё стоит после стольких зим.',
      'в отчёте 24 страницы, он стоит 18 рублей и отвечает на все вопросы.',
    ],
  ],
  Chinese: [
    ['早上好，', '请听：', '我昨天说过，', '五月三日，'],
    [
      '下雨了。',
      '火车九点半出发。',
      '我们在车站见面，然后沿着河边走。',
      '没有人想到那座老房子过了这么多冬天还在那里。',
      '报告有24页，价格是18元，回答了你提出的每一个问题。',
    ],
  ],
  Japanese: [
    ['おはようございます、', 'きいてください、', 'きのういったように、', 'ごがつみっかに、'],
    [
      'あめです。',
      'でんしゃはくじはんにでます。',
      'えきであって、かわにそってあるきましょう。',
      'ふるいいえがまだたっているとは、だれもおもいませんでした。',
      'ほうこくは24ページで、18ドルで、すべてのしつもんにこたえます。',
    ],
  ],
  Korean: [
    ['안녕하세요, ', '들어 주세요: ', '어제 말했듯이 ', '오월 삼일에 '],
    [
      '비가 옵니다.',
      '기차는 아홉 시 반에 출발합니다.',
      '우리는 역에서 만나 강을 따라 걸을 것입니다.',
      '그 낡은 집이 그렇게 많은 겨울을 지나고도 서 있을 줄은 아무도 몰랐습니다.',
      '보고서는 24쪽이고 값은 18달러이며 모든 질문에 답합니다.',
    ],
  ],
}

/** Two hundred, languages, lengths and speakers mixed; the same at every run. */
export const SENTENCES: readonly Sentence[] = Array.from({ length: 20 }, (_nothing, index) =>
  Object.entries(PARTS).map(([language, [openings, endings]], position) => ({
    text: `${openings[index % openings.length]}${endings[(index + position) % endings.length]}`,
    language: language as Language,
    voice: `${ESPEAK_LANGUAGES[language as Language]}+${SPEAKERS[(index + position) % SPEAKERS.length]}`,
  })),
).flat()

export const speechRequest = ({ text, language, voice }: Sentence): SpeechRequest => ({
  text,
  language,
  voice: { slug: 'bench', kind: 'preset', engineVoice: voice, referenceAudio: null, referenceText: null },
  extra: {},
  signal: new AbortController().signal,
})
