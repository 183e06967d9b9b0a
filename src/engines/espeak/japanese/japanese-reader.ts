import { createRequire } from 'node:module'
import type { TokenizerBuilder as Builder } from 'lindera-wasm-nodejs-ipadic'
import type { SpokenPart } from '../spoken-part.ts'
import type { JapaneseReader } from '../spoken-text.ts'
import { isCounter, isNumeral, joinNumber, type Piece, readCounted, readNumber } from './japanese-numbers.ts'
import { readInRange, type Token } from './japanese-ranges.ts'

const READABLE = /^[ァ-ヺー]+$/u
const DIGITS = /^\d+$/u
/** Words that the dictionary lacks, each of two tokens. */
const LATER_WORDS: ReadonlyMap<string, string> = new Map([
  ['令和', 'レイワ'],
  ['檸檬', 'レモン'],
  ['一行目', 'イチギョーメ'],
])
/** 何分 before these asks for minutes. */
const TAKES_TIME = /^(?:かか|掛か|待[たちつっ]|まち|まつ|まっ|経|歩[かきくい]|遅れ)/u
const LEANING = new Set(['助詞', '助動詞'])

/** Kanji with their usual readings, for unknown words (該店, 圧が強い). */
const READINGS = `
  娃アイ哀アイ挨アイ姶アイ逢ホー穐アキ渥アク圧アツ斡アツ扱アツカイ按アン以イ囲イ惟イ慰イ椅イ維イ萎イ違イ溢イツ姻イン
  引イン淫イン宇ウ窺キ蔚ウツ荏エ営エイ嬰エイ曳エイ泳エイ穎エイ頴エイ疫エキ謁エツ閲エツ奄エン怨エン掩エン援エン沿エン
  演エン於オ凹オー往オー押オー旺オー憶オク穏オン寡カ珂カ禾カ稼カ箇カ苛カ菓カ嘩カ貨カ迦カ峨ガ餓ガ壊カイ悔カイ恢カイ
  戒カイ拐カイ械カイ凱ガイ劾ガイ慨ガイ涯ガイ碍ガイ該ガイ劃カク嚇カク拡カク撹カク確カク赫カク較カク閣カク隔カク恰コー
  渇カツ褐カツ轄カツ且カツ噛カミ喚カン患カン慣カン憾カン換カン敢カン柑カン桓カン款カン歓カン澗カン灌カン監カン簡カン
  翰カン諌カン閑カン含ガン玩ガン翫ガン頑ガン企キ伎キ危キ岐キ揮キ棋キ棄キ汽キ畿キ徽キ軌キ飢キ妓ギ戯ギ擬ギ欺ギ犠ギ喫キツ
  桔キツ却キャク虐ギャク及キュー吸キュー救キュー朽キュー汲キュー泣キュー糾キュー巨キョ拒キョ距キョ禦ギョ侠キョー
  僑キョー兇キョー叫キョー怯キョー況キョー矯キョー脅キョー僅キン欣キン欽キン禽キン緊キン謹キン倶ク玖ク喰クイ偶グー
  釧クシロ屈クツ窟クツ粂クメ袈ケ祁キ傾ケイ珪ケイ径ケイ掲ケイ携ケイ稽ケイ荊ケイ警ケイ戟ゲキ撃ゲキ訣ケツ倹ケン倦ケン
  喧ケン牽ケン献ケン鹸ケン絃ゲン乎コ枯コ鈷コ顧コ互ゴ娯ゴ梧ゴ檎ゴ瑚ゴ醐ゴ乞コツ交コー佼コー倖コー勾コー慌コー梗コー
  構コー肯コー腔コー衡コー購コー郊コー酵コー砿コー拷ゴー漉ロク忽コツ惚コツ此コノ墾コン恨コン昏コン混コン些サ唆サ嵯サ
  査サ瑳サ詐サ裟サ挫ザ催サイ哉サイ塞サイ栽サイ砕サイ埼サイ碕サキ咋サク窄サク錯サク拶サツ薩サツ捌サバキ撒サン桟サン
  燦サン珊サン纂サン餐サン暫ザン仔シ伺シ嗣シ思シ支シ斯シ施シ獅シ祉シ試シ飼シ慈ジ璽ジ磁ジ示ジ而ジ蒔ジ識シキ竺ジク宍シシ
  嫉シツ悉シツ疾シツ偲シ捨シャ赦シャ灼シャク爵シャク惹ジャク儒ジュ受ジュ授ジュ綬ジュ需ジュ就シュー愁シュー繍シュー
  習シュー蒐シュー讐シュー輯シュー酋シュー酬シュー什ジュー従ジュー叔シュク夙シュク粛シュク竣シュン循ジュン殉ジュン
  遵ジュン庶ショ償ショー召ショー哨ショー唱ショー嘗ショー娼ショー抄ショー招ショー湘ショー硝ショー礁ショー粧ショー
  紹ショー菖ショー蒋ショー蕉ショー衝ショー訟ショー詳ショー鍾ショー冗ジョー壌ジョー擾ジョー蒸ジョー醸ジョー拭ショク
  殖ショク蝕ショク辱ジョク侵シン娠シン疹シン甚ジン尽ジン訊ジン迅ジン諏ス須ス逗ズ吹スイ推スイ炊スイ衰スイ遂スイ趨スー
  据キョ椙スギ頗ハ棲セイ栖セイ牲セイ請セイ逝セイ醒セイ惜セキ戚セキ斥セキ析セキ績セキ脊セキ設セツ窃セツ専セン栴セン
  旋セン穿セン繊セン践セン遷セン閃セン鮮セン繕ゼン噌ソ塑ソ措ソ曾ソ狙ソ疏ソ租ソ訴ソ阻ソ爽ソー匝ソー捜ソー掃ソー挿ソー
  掻ソー曹ソー漕ソー燥ソー争ソー痩ソー綜ソー遭ソー鎗ソー騒ソー臓ゾー促ソク捉ソク其ソノ汰タ詑タ堕ダ妥ダ惰ダ楕ダ陀ダ騨ダ
  耐タイ岱タイ戴タイ胎タイ逮タイ醍ダイ啄タク択タク濯タク鐸タク叩コー嘆タン担タン歎タン箪タン綻タン蛋タン誕タン鍛タン
  痴チ置チ致チ蜘チ馳チ畜チク筑チク蓄チク逐チク秩チツ窒チツ嫡チャク抽チュー衷チュー註チュー酎チュー潴チョ貯チョ凋チョー
  懲チョー挑チョー牒チョー眺チョー聴チョー脹チョー諜チョー跳チョー銚チョー沈チン鎮チン墜ツイ掴ツカミ漬ツケ柘ツゲ潰カイ
  嬬ツマ偵テイ廷テイ悌テイ抵テイ逓テイ摘テキ擢テキ溺デキ撤テツ迭テツ添テン甜テン顛テン吐ト妬ト鍍ト倒トー塘トー套トー
  宕トー悼トー搭トー梼トー淘トー涛トー燈トー痘トー蕩トー討トー謄トー踏トー逃トー闘トー働ドー憧ドー撞ドー萄ドー匿トク
  涜トク読ドク突トツ沌トン遁トン呑ドン奈ナ那ナ乍ナガラ捺ナツ馴ジュン軟ナン弐ニ如ジョ妊ニン認ニン濡ジュ禰ネ祢ネ燃ネン
  乃ノ廼ノ埜ノ嚢ノー悩ノー覗シ播ハ杷ハ琶ハ芭バ俳ハイ培バイ楳バイ狽バイ賠バイ陪バイ這シャ剥ハク舶ハク曝バク爆バク莫バク
  駁バク溌ハツ醗ハツ抜バツ叛ハン搬ハン氾ハン般ハン販ハン釆ハン頒ハン挽バン蛮バン匪ヒ卑ヒ悲ヒ批ヒ披ヒ斐ヒ泌ヒ疲ヒ避ヒ
  枇ビ毘ビ琵ビ疋ヒキ彦ヒコ弼ヒツ必ヒツ畢ヒツ逼ヒツ謬ビュー漂ヒョー描ビョー賓ヒン埠フ扶フ浮フ芙フ赴フ阜フ撫ブ葡ブ
  葺シュー払フツ吻フン噴フン焚フン奮フン紛フン聞ブン併ヘイ蔽ヘイ閉ヘイ陛ヘイ瞥ベツ蔑ベツ娩ベン舗ホ圃ホ輔ホ慕ボ菩ボ
  倣ホー俸ホー呆ホー庖ホー抱ホー烹ホー胞ホー褒ホー訪ホー飽ホー亡ボー剖ボー妨ボー忘ボー忙ボー暴ボー冒ボー紡ボー肪ボー
  膨ボー貌ボー貿ボー吠ハイ勃ボツ殆タイ奔ホン凡ボン昧マイ桝マス俣マタ抹マツ慢マン漫マン牟ム鵡ム迷メイ摸モ妄モー耗モー
  儲チョ勿モチ悶モン也ヤ冶ヤ耶ヤ愉ユ癒ユ輸ユ宥ユー揖ユー涌ユー猷ユー誘ユー遊ユー邑ユー郵ユー予ヨ妖ヨー曜ヨー楊ヨー
  溶ヨー熔ヨー耀ヨー蓉ヨー沃ヨク莱ライ絡ラク落ラク酪ラク濫ラン吏リ履リ璃リ痢リ琉リュー硫リュー侶リョ僚リョー療リョー
  淋リン琳リン臨リン麟リン瑠ル伶レイ励レイ苓レイ隷レイ裂レツ憐レン魯ロ婁ロー榔ロー惑ワク詫タ応オー備ビ鬱ウツ鉤カギ
`
const LONE: ReadonlyMap<string, string> = new Map(
  Array.from(READINGS.matchAll(/(\p{Script=Han})([ァ-ヺー]+)/gu), ([, kanji, reading]) => [kanji!, reading!]),
)

interface Reading {
  readonly spoken: string
  readonly length: number
}

/**
 * Opens IPADIC slowly, so only a text with kanji calls this.
 * Returns pronunciations (は as ワ) with spaces between phrases.
 */
export function openJapaneseReader(): JapaneseReader {
  const { TokenizerBuilder } = createRequire(import.meta.url)('lindera-wasm-nodejs-ipadic') as {
    TokenizerBuilder: typeof Builder
  }
  const builder = new TokenizerBuilder()
  builder.setDictionary('embedded://ipadic')
  builder.setMode('normal')
  builder.setKeepWhitespace(true)
  const tokenizer = builder.build()
  return (text) => toParts(tokenizer.tokenize(text) as Token[])
}

function toParts(tokens: readonly Token[]): SpokenPart[] {
  const parts: SpokenPart[] = []
  let start = 0
  for (let at = 0; at < tokens.length; ) {
    const known = laterWordAt(tokens, at) ?? numberAt(tokens, at) ?? inRange(tokens, at)
    const { readings, taken } = known ?? { readings: readWord(tokens[at]!, parts.at(-1)), taken: 1 }
    for (const { spoken, length } of readings) {
      parts.push({ spoken, start, length })
      start += length
    }
    at += taken
  }
  return parts
}

function laterWordAt(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const isOfTime = tokens[at]?.surface === '何分' && TAKES_TIME.test(tokens[at + 1]?.surface ?? '')
  if (isOfTime) return { readings: [{ spoken: ' ナンプン', length: 2 }], taken: 1 }
  const word = `${tokens[at]?.surface}${tokens[at + 1]?.surface ?? ''}`
  const reading = LATER_WORDS.get(word)
  return reading === undefined ? null : { readings: [{ spoken: ` ${reading}`, length: word.length }], taken: 2 }
}

function inRange(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const reading = readInRange(tokens, at)
  if (reading === undefined) return null
  return { readings: [{ spoken: reading === 'カラ' ? reading : ` ${reading}`, length: 1 }], taken: 1 }
}

function readWord(token: Token, before: SpokenPart | undefined): readonly Reading[] {
  const { surface, pronunciation } = token
  const length = [...surface].length
  if (/^々+$/u.test(surface))
    return [{ spoken: isTwice(before?.spoken) ? '' : (before?.spoken.trim() ?? ' ').repeat(length), length }]
  if (surface === '〇') return [{ spoken: 'マル', length }]
  if (pronunciation === undefined || !READABLE.test(pronunciation))
    return Array.from(surface, (character, at) => ({ spoken: readUnknown(character, at === 0), length: 1 }))
  const leans = LEANING.has(token.partOfSpeech) || token.partOfSpeechSubcategory1 === '接尾' || before === undefined
  return [{ spoken: `${leans || token.partOfSpeechSubcategory1 === '非自立' ? '' : ' '}${pronunciation}`, length }]
}

function readUnknown(character: string, isFirst: boolean): string {
  const reading = readLoneKanji(character)
  return reading === undefined ? character : `${isFirst ? ' ' : ''}${reading}`
}

/** 屡 alone is シバシバ, as 屡々 is. */
const isTwice = (spoken = ''): boolean => /^\s?(.{2,})\1$/u.test(spoken)

function numberAt(tokens: readonly Token[], at: number): { readings: readonly Reading[]; taken: number } | null {
  const number = joinNumber(piecesAt(tokens, at))
  if (number === null) return null
  const { digits, taken } = number
  const written = tokens.slice(at, at + taken).map(({ surface }) => surface)
  const length = [...written.join('')].length
  const counter = counterAt(tokens, at + taken, digits)
  if (isWord(written, counter)) return null
  if (counter === null) return { readings: [{ spoken: ` ${readNumber(digits)}`, length }], taken }
  const spoken = ` ${readBehind(tokens[at - 1]?.surface ?? '', digits, counter)}`
  return { readings: [{ spoken, length: length + [...counter.surface].length }], taken: taken + 1 }
}

/** 3割5分 reads 分 differently. */
function readBehind(before: string, digits: string, { surface, pronunciation = '' }: Token): string {
  if (digits === '1' && surface === '日' && before.endsWith('月')) return 'ツイタチ'
  return readCounted(digits, surface, surface === '分' && before === '割' ? 'ブ' : pronunciation)
}

/** 零 is always レイ, 〇〇 is a blank, 数 alone a noun. */
const isWord = (written: readonly string[], counter: Token | null): boolean =>
  /^(?:零|〇〇+)$/u.test(written.join('')) || (counter === null && /^[数何幾〇]$/u.test(written.join('')))

function counterAt(tokens: readonly Token[], at: number, digits: string): Token | null {
  const token = tokens[at]
  if (token === undefined || (token.surface === 'つ' && !/^[1-9]$/.test(digits))) return null
  return token.partOfSpeechSubcategory2 === '助数詞' || isCounter(token.surface) ? token : null
}

function* piecesAt(tokens: readonly Token[], at: number): Generator<Piece> {
  for (let next = at; ; ) {
    const piece = digitsAt(tokens, next) ?? numeralAt(tokens, next, next > at)
    if (piece === null) return
    yield piece
    next += piece.taken
  }
}

function digitsAt(tokens: readonly Token[], at: number): Piece | null {
  const surface = (offset: number) => tokens[at + offset]?.surface ?? ''
  if (!DIGITS.test(surface(0))) return null
  let [text, taken] = [surface(0), 1]
  while (surface(taken) === ',' && /^\d{3}$/u.test(surface(taken + 1))) {
    text += surface(taken + 1)
    taken += 2
  }
  const hasDecimals = surface(taken) === '.' && DIGITS.test(surface(taken + 1))
  return hasDecimals ? { text: `${text}.${surface(taken + 1)}`, taken: taken + 2 } : { text, taken }
}

/** 〇 and 京 count only after other digits. */
function numeralAt(tokens: readonly Token[], at: number, isBehind: boolean): Piece | null {
  const token = tokens[at]
  if (token === undefined || !isNumeral(token.surface)) return null
  const isNumber = token.partOfSpeechSubcategory1 === '数' || (isBehind && /^[〇○◯京]$/u.test(token.surface))
  const isMonth = token.surface === '何' && tokens[at + 1]?.surface === '月'
  return isNumber || isMonth ? { text: token.surface, taken: 1 } : null
}

export const readLoneKanji = (kanji: string): string | undefined => LONE.get(kanji)
