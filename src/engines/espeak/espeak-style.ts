import { paceOf } from '../engine.ts'

const NEUTRAL = { rate: 175, pitch: 50, range: 50, volume: 100 } as const
const LEAST_WHISPER = 0.4
const LIMITS = { rate: [80, 450], pitch: [0, 99], range: [0, 99], volume: [10, 170] } as const

const TRUE_SPEEDS = [0.75, 1.5] as const

/** "not too fast" asks for less, not for the opposite. */
const NEGATED = -0.4
const REACH_WORDS = 3

/** The order within a style: English, German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese, Korean. */
const WORDS: readonly (readonly [Style, string])[] = [
  [
    { rate: -1 },
    `slow slowly slower unhurried langsam langsamer lent lente lentement doucement lento lenta lentamente despacio pausado
    devagar piano медленно медленнее 慢 慢慢 缓慢 缓慢地 ゆっくり 遅く 천천히 느리게`,
  ],
  [
    { rate: 1 },
    `fast faster quick quickly rapid rapidly hurried brisk briskly schnell schneller rasch rapide rapidement vite rapido rapida
    rapidamente veloce velocemente deprisa depressa быстро быстрее 快 快速 迅速 速く 早く はやく 빠르게 빨리`,
  ],
  [{ rate: 0.7, range: 0.5 }, 'urgent urgently nervous anxious dringend 紧急 紧张'],
  [
    { rate: -0.6, range: -0.6, volume: -0.3 },
    `calm calmly relaxed soothing peaceful gentle gently ruhig gelassen entspannt calme calmement tranquilo tranquila calmo calma
    rilassato sereno спокойно спокойный 平静 冷静 镇定 落ち着いて 穏やかに 차분하게 침착하게`,
  ],
  [
    { rate: 0.5, pitch: 0.9, range: 1.2, volume: 0.4 },
    `excited excitedly enthusiastic energetic thrilled aufgeregt begeistert excite enthousiaste emocionado emocionada
    entusiasmado entusiasta eccitato animado взволнованно восторженно 激动 兴奋 興奮して 興奮 신나게 흥분해서`,
  ],
  [
    { rate: 0.3, pitch: 0.7, range: 0.9 },
    `cheerful cheerfully happy happily joyful joyfully bright lively playful friendly frohlich glucklich heiter joyeux joyeuse
    gai heureux alegre feliz contento felice allegro allegra радостно весело 快乐 高兴 开心 愉快 嬉しそうに 楽しく 明るく 기쁘게 즐겁게 행복하게`,
  ],
  [
    { rate: -0.7, pitch: -0.6, range: -0.8, volume: -0.4 },
    `sad sadly melancholy melancholic mournful depressed sorrowful traurig melancholisch triste tristement tristemente
    malinconico грустно печально 悲伤 难过 伤心 悲しく 悲しそうに 슬프게`,
  ],
  [
    { rate: 0.5, pitch: -0.3, range: 0.8, volume: 0.9 },
    `angry angrily furious furiously mad aggressive wutend zornig bose colere furieux enojado enfadado furioso arrabbiato raiva
    сердито злобно 生气 愤怒 怒って 怒りを 화나게 화난`,
  ],
  [
    { rate: -0.3, range: -1, volume: -2, whisper: 1 },
    `whisper whispering whispered whispers flustern flusternd chuchoter chuchotant chuchote susurrar susurrando sussurrando
    sussurrare sussurrar шепотом 低语 耳语 悄悄 ささやく ささやいて 속삭이듯 속삭이며`,
  ],
  [
    { volume: -1.2 },
    `soft softly softer quiet quietly quieter hushed leise leiser sanft doux douce bajito suave suavemente silenzioso baixinho
    тихо тише 轻声 小声 轻柔 静かに 小さく 조용히 작게`,
  ],
  [{ volume: 1.2 }, 'loud loudly louder laut lauter fort forte громко громче 大声 响亮 大きく 大声で 크게 큰'],
  [
    { pitch: 0.4, range: 0.6, volume: 1.5 },
    'shout shouting shouted yell yelling scream screaming schreien schreiend crier criant gritar gritando gridare gridando крича 喊叫 喊 叫んで 외치듯',
  ],
  [
    { pitch: 1.2 },
    'high higher hoch hoher aigu aigue haut agudo aguda alto alta acuto acuta высоко высоким 高音 高い 高く 높게',
  ],
  [
    { pitch: -1.2 },
    'low lower deep deeper deeply tief tiefer grave graves bas basse bajo baja baixo basso bassa profondo низко низким 低沉 低音 低い 低く 낮게',
  ],
  [
    { range: -2 },
    'monotone monotonous monotonously flat robotic emotionless monoton monotone monotono monotona монотонно 单调 単調に 単調 단조롭게',
  ],
  [
    { rate: -0.2, range: 1.6, volume: 0.3 },
    `dramatic dramatically expressive expressively theatrical passionate dramatisch ausdrucksvoll dramatique expressif
    dramatico dramatica expresivo espressivo expressivo драматично выразительно 戏剧性 有感情 劇的に 感情を込めて 극적으로`,
  ],
  [
    { rate: -0.4, pitch: -0.4, range: -0.4 },
    `serious seriously solemn solemnly formal formally authoritative stern ernst feierlich serieux serieuse serio seria solenne
    solemne serios серьезно 严肃 认真 庄重 真剣に 真面目に 진지하게`,
  ],
]

const STRONGER = `very really extremely super so incredibly sehr extrem wirklich tres vraiment extremement muy sumamente molto
  assai muito очень 很 非常 十分 特别 とても 非常に すごく 아주 매우`
const WEAKER = `slightly somewhat mildly bit little rather etwas leicht bisschen peu legerement poco algo ligeramente leggermente
  pouco levemente немного слегка 稍微 有点 一点 少し ちょっと 조금 약간`
const NEGATING = `not no never without less dont nicht kein keine ohne weniger pas sans moins non senza meno sin menos nao sem не
  без 不 不要 别 没有 しない 않게 안`

const STYLE_WORDS: ReadonlyMap<string, Style> = new Map(
  WORDS.flatMap(([style, words]) => words.split(/\s+/).map((word) => [foldWord(word), style] as const)),
)
const MODIFIERS: ReadonlyMap<string, number> = new Map([
  ...list(STRONGER).map((word) => [word, 1.7] as const),
  ...list(WEAKER).map((word) => [word, 0.5] as const),
])
const NEGATIONS: ReadonlySet<string> = new Set(list(NEGATING))

/** Rate in words per minute; the others in eSpeak's units, neutral at 50, 50 and 100. */
export interface Prosody {
  readonly rate: number
  readonly pitch: number
  readonly range: number
  readonly volume: number
  readonly whispers: boolean
  /** Present if eSpeak's rate alone misses the pace. */
  readonly pace?: { readonly ownRate: number; readonly speed: number }
}

interface Style {
  readonly rate?: number
  readonly pitch?: number
  readonly range?: number
  readonly volume?: number
  readonly whisper?: number
}

/** Translates a style instruction: known words add up, scaled by modifiers; `speed` multiplies the rate. Pure. */
export function styleToProsody(instruction: string | undefined, speed = 1): Prosody {
  const style = instruction === undefined ? {} : readStyle(instruction)
  return {
    ...toRate(NEUTRAL.rate * 1.3 ** (style.rate ?? 0), paceOf(speed)),
    pitch: clamp('pitch', NEUTRAL.pitch + 16 * (style.pitch ?? 0)),
    range: clamp('range', NEUTRAL.range + 20 * (style.range ?? 0)),
    volume: clamp('volume', NEUTRAL.volume * 1.4 ** (style.volume ?? 0)),
    whispers: (style.whisper ?? 0) >= LEAST_WHISPER,
  }
}

/** The same as factors, for an engine of any speed. Pure. */
export const factorsOf = ({ rate, pitch, range, pace }: Prosody) => ({
  speed: ((pace?.ownRate ?? rate) / NEUTRAL.rate) * (pace?.speed ?? 1),
  pitch: 2 ** ((pitch - NEUTRAL.pitch) / NEUTRAL.pitch),
  range: range / NEUTRAL.range,
})

function toRate(own: number, speed: number): Pick<Prosody, 'rate' | 'pace'> {
  const rate = clamp('rate', own * speed)
  const isCut = rate !== Math.round(own * speed)
  const isTrue = speed === 1 || (!isCut && speed >= TRUE_SPEEDS[0] && speed <= TRUE_SPEEDS[1])
  return isTrue ? { rate } : { rate, pace: { ownRate: clamp('rate', own), speed } }
}

function clamp(parameter: keyof typeof LIMITS, value: number): number {
  const [low, high] = LIMITS[parameter]
  return Math.round(Math.min(high, Math.max(low, value)))
}

function readStyle(instruction: string): Style {
  const total: Record<keyof Style, number> = { rate: 0, pitch: 0, range: 0, volume: 0, whisper: 0 }
  let strength = 1
  let reach = 0
  for (const word of words(instruction)) {
    const style = STYLE_WORDS.get(word)
    const modifier = NEGATIONS.has(word) ? NEGATED : MODIFIERS.get(word)
    if (modifier !== undefined) {
      strength *= modifier
      reach = REACH_WORDS
    } else if (style !== undefined || reach-- <= 0) {
      for (const [parameter, amount] of Object.entries(style ?? {}))
        total[parameter as keyof Style] += amount * strength
      strength = 1
      reach = 0
    }
  }
  return total
}

/** Splits scripts without spaces at known words. */
function words(instruction: string): string[] {
  const tokens = foldWord(instruction).match(/[\p{L}\p{M}]+(?:['’]\p{L}+)?/gu) ?? []
  return tokens.flatMap((token) => (UNSPACED.test(token) ? cut(token) : token.replace(/^.*n['’]t$/, 'not')))
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

function cut(token: string): string[] {
  const found: string[] = []
  for (let at = 0; at < token.length; ) {
    const word = LONGEST_FIRST.find((known) => token.startsWith(known, at))
    if (word !== undefined) found.push(word)
    at += word?.length ?? 1
  }
  return found
}

const LONGEST_FIRST = [...STYLE_WORDS.keys(), ...MODIFIERS.keys(), ...NEGATIONS]
  .filter((word) => UNSPACED.test(word))
  .sort((a, b) => b.length - a.length)

function list(words: string): string[] {
  return words.split(/\s+/).map(foldWord)
}

function foldWord(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
}
