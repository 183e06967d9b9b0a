import type { AudioThreads } from '../../audio/audio-threads.ts'
import { loadVoice } from '../../catalog/library-voices.ts'
import { sampleKey } from '../../catalog/voice-samples.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import { describeError } from '../../errors/describe-error.ts'
import { notFound, ServiceError } from '../../errors/service-error.ts'
import { speakText } from '../speak-text.ts'
import { TRIAL_MS, type TrialContext } from './try-engine.ts'

export const SAMPLE_TYPE = 'audio/mpeg'
const SEED = 1

export const SENTENCES: Readonly<Record<Language, string>> = {
  English: 'Hello! This is how I sound when I read your words aloud.',
  German: 'Hallo! So klinge ich, wenn ich deine Worte vorlese.',
  French: 'Bonjour ! Voici ma voix quand je lis vos mots.',
  Spanish: '¡Hola! Así sueno cuando leo tus palabras en voz alta.',
  Italian: 'Ciao! Ecco la mia voce quando leggo le tue parole.',
  Portuguese: 'Olá! É assim que eu soo quando leio as suas palavras.',
  Russian: 'Здравствуйте! Так я звучу, когда читаю ваши слова.',
  Chinese: '你好！这就是我朗读你的文字时的声音。',
  Japanese: 'こんにちは。あなたの言葉を読むと、このような声になります。',
  Korean: '안녕하세요. 제가 글을 읽을 때의 목소리입니다.',
}

interface SampleContext extends TrialContext {
  readonly audio: AudioThreads
}

export type Samples = Map<string, Promise<Uint8Array>>

/**
 * Returns an MP3 sample of a voice; storage keeps it until its endpoint is applied again.
 * @throws NOT_FOUND, UNAVAILABLE if the engine cannot speak now
 */
export async function voiceSample(
  ctx: SampleContext & { readonly samples: Samples },
  { slug, voice }: { readonly slug: string; readonly voice: string },
): Promise<Uint8Array> {
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint?.voices.some((known) => known.slug === voice) !== true) throw notFound()
  const key = sampleKey(endpoint, voice)
  const rendering = ctx.samples.get(key)
  if (rendering !== undefined) return rendering
  const made = readOrRender(ctx, endpoint, voice, key).finally(() => ctx.samples.delete(key))
  ctx.samples.set(key, made)
  return made
}

async function readOrRender(ctx: SampleContext, endpoint: VoiceEndpoint, voice: string, key: string) {
  if ((await ctx.storage.stat(key)) !== null) return Buffer.concat(await (await ctx.storage.read(key)).toArray())
  const sample = await render(ctx, endpoint, voice)
  await ctx.storage.put(key, sample, { contentType: SAMPLE_TYPE })
  return sample
}

async function render(ctx: SampleContext, endpoint: VoiceEndpoint, slug: string): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(TRIAL_MS)
  const { language, text } = sentenceIn(endpoint.voices.find((voice) => voice.slug === slug)?.language ?? null)
  const audio = await ctx.trialEngines.use(signal, async (engines) => {
    const voice = await loadVoice(ctx, endpoint, slug, null)
    if (voice === null) throw notFound()
    // A passed deadline turns retries off.
    const request = {
      ...{ text, language, voice, extra: {}, seed: SEED, signal, deadline: performance.now() },
      ...(endpoint.loudness === 'as_is' && { loudness: 'as_is' as const }),
    }
    return engines
      .use(endpoint.engine, (engine) => speakText(engine, request))
      .catch(async (error: unknown) => {
        ctx.log.warn({ endpoint: endpoint.slug, voice: slug, ...describeError(error) }, 'a sample could not be spoken')
        const isLoading = signal.aborted && engines.modelState(endpoint.engine) === 'loading'
        const reason = isLoading ? 'this voice is being loaded' : 'this voice cannot speak now'
        throw new ServiceError('UNAVAILABLE', `Try again in a moment: ${reason}.`, { retryAfterSeconds: 10 })
      })
  })
  return ctx.audio.encode(audio.audio, 'mp3')
}

export function sentenceIn(language: string | null): { readonly language: Language; readonly text: string } {
  const known = language !== null && Object.hasOwn(SENTENCES, language) ? (language as Language) : 'English'
  return { language: known, text: SENTENCES[known] }
}
