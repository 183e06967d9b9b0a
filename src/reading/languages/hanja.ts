import { HAN } from '../foreign.ts'
import { oneOf, rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { spokenForms } from '../table.ts'

/** Words in which a character has another sound than by itself. */
const WORDS = spokenForms(`
  樂園 | 낙원
  樂觀 | 낙관
  樂天 | 낙천
  娛樂 | 오락
  快樂 | 쾌락
  苦樂 | 고락
  極樂 | 극락
  享樂 | 향락
  安樂 | 안락
  自轉車 | 자전거
  人力車 | 인력거
  停車場 | 정거장
  容易 | 용이
  簡易 | 간이
  難易 | 난이
  安易 | 안이
  平易 | 평이
  復活 | 부활
  復興 | 부흥
  憎惡 | 증오
  嫌惡 | 혐오
  降伏 | 항복
  投降 | 투항
  更新 | 갱신
  更生 | 갱생
  相殺 | 상쇄
  殺到 | 쇄도
  省略 | 생략
  標識 | 표지
  遊說 | 유세
  敗北 | 패배
  暴惡 | 포악
  橫暴 | 횡포
  統率 | 통솔
  引率 | 인솔
  輕率 | 경솔
  率直 | 솔직
  計畫 | 계획
  企畫 | 기획
  一切 | 일체
  閉塞 | 폐색
  砂糖 | 사탕
  雪糖 | 설탕
  令狀 | 영장
  賞狀 | 상장
  答狀 | 답장
  招待狀 | 초대장
  年賀狀 | 연하장
  牡丹 | 모란
  契丹 | 거란
  小便 | 소변
  大便 | 대변
  便所 | 변소
  許諾 | 허락
  受諾 | 수락
  困難 | 곤란
  論難 | 논란
  議論 | 의논
  茶房 | 다방
  茶道 | 다도
  六月 | 유월
  十月 | 시월
  十方 | 시방
`)
/** The usual sounds of characters that Korean's order of characters places elsewhere. */
const SOUNDS = spokenForms(`
  金 | 금
  率 | 률
  茶 | 차
  宅 | 택
  不 | 불
`)
/** 金 before these is gold or money, not a name. */
const KIM = /^金(?![融利屬銀額色曜賞剛塊庫權品言管箔科鑛型石泉])[一-龥]{1,2}$/
const KNOWN = new RegExp(oneOf(Object.keys(WORDS)), 'y')
const FIRST_SYLLABLE = 0xac00
const SYLLABLES = 11_172
/** Syllables of one first sound, and of one first sound and vowel. */
const [INITIALS, VOWELS] = [588, 28]
const [N, R, SILENT] = [2, 5, 11]
/** The vowels ㅑ, ㅒ, ㅕ, ㅖ, ㅛ, ㅠ and ㅣ. */
const NARROW = new Set([2, 3, 6, 7, 12, 17, 20])

/** Chinese characters in Korean are said by their Korean sounds, and behind the same word in Korean letters, in brackets, not again. */
export function hanja(): Rule[] {
  return [
    rule('abbreviation', 'letter', `[${HAN}]{1,40}`, (_groups, { before }, match) => {
      const spoken = soundOf(match, before)
      return spoken === '' ? null : { spoken, length: spoken.length }
    }),
    rule('abbreviation', 'symbol', `[(（](?<written>[${HAN}]{2,20})[)）]`, ({ written = '' }, { before }) =>
      before.endsWith(soundOf(written, '')) && soundOf(written, '').length === written.length ? '' : null,
    ),
  ]
}

/** The sounds of a text's characters, one syllable for each, up to the first that has none. */
function soundOf(written: string, before: string): string {
  let said = ''
  while (said.length < written.length) {
    KNOWN.lastIndex = said.length
    const word = KNOWN.exec(written)?.[0]
    if (word !== undefined) {
      said += WORDS[word]
      continue
    }
    const character = written[said.length] as string
    const sound = SOUNDS[character] ?? syllableOf(character)
    if (sound === null) break
    said += within(sound, character, said.at(-1) ?? /[가-힣]$/.exec(before)?.[0], written.slice(said.length + 1))
  }
  return KIM.test(written) && said.startsWith('금') ? `김${said.slice(1)}` : said
}

/** The sound of a character behind another syllable and before other characters. */
function within(sound: string, character: string, previous: string | undefined, next: string): string {
  const code = sound.charCodeAt(0) - FIRST_SYLLABLE
  const [initial, vowel] = [Math.floor(code / INITIALS), Math.floor((code % INITIALS) / VOWELS)]
  const starting = (first: number): string => String.fromCharCode(FIRST_SYLLABLE + first * INITIALS + (code % INITIALS))
  if (character === '不') return /^[다-딯자-짛]/.test(syllableOf(next[0] ?? '') ?? '') ? '부' : '불'
  if (previous === undefined) {
    if (NARROW.has(vowel)) return initial === N || initial === R ? starting(SILENT) : sound
    return initial === R ? starting(N) : sound
  }
  const final = (previous.charCodeAt(0) - FIRST_SYLLABLE) % VOWELS
  return /[률렬]/.test(sound) && (final === 0 || final === 4) ? starting(SILENT) : sound
}

const sounds = new Map<string, string | null>()
let order: Intl.Collator | null = null

/** The syllable that Korean's order of characters, of CLDR, puts a Chinese character beside. */
function syllableOf(character: string): string | null {
  const known = sounds.get(character)
  if (known !== undefined) return known
  order ??= new Intl.Collator('ko', { sensitivity: 'base' })
  let [low, high] = [0, SYLLABLES - 1]
  let found: string | null = null
  while (found === null && low <= high) {
    const middle = (low + high) >> 1
    const syllable = String.fromCharCode(FIRST_SYLLABLE + middle)
    const compared = order.compare(character, syllable)
    if (compared === 0) found = syllable
    else if (compared < 0) high = middle - 1
    else low = middle + 1
  }
  sounds.set(character, found)
  return found
}
