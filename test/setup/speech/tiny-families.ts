import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { SherpaFamily } from '../../../src/engines/sherpa/sherpa-families.ts'
import { TINY_RATE, TOKEN_SECONDS, tinyTokens, tinyVits } from './tiny-models.ts'
import { type Graph, model, node, tensor, value } from './tiny-onnx.ts'

type Files = Readonly<Record<string, string | Uint8Array>>

const [FIRST_HZ, STEP_HZ] = [200, 40]
const TURN = 2 * Math.PI
/** The rate of the models that clone. */
const CLONE_RATE = 24_000
/** Samples of one step of Supertonic and of Pocket. */
const STEP = 512
/** One frame of Vocos, and the number of its graph's tone: a whole number of waves fits in between. */
const [HOP, FFT, BIN] = [256, 1024, 40]
export const VOCOS_HZ = (BIN * CLONE_RATE) / FFT
/** How many numbers describe a frame of ZipVoice. */
const MELS = 4
/** Values of a text's embedding, and of a latent, in Pocket. */
const [EMBEDDING, LATENT] = [1024, 32]
const PIPER_METADATA = {
  sample_rate: TINY_RATE,
  n_speakers: 2,
  language: 'English',
  comment: 'piper',
  has_espeak: 1,
  voice: 'en-us',
}

const tiny = (graph: Omit<Graph, 'metadata' | 'constants'> & Partial<Graph>): Uint8Array =>
  model({ metadata: {}, ...graph, constants: [...COMMON, ...(graph.constants ?? [])] })

const COMMON = [
  tensor('all', 'int64', [-1], [1]),
  tensor('column', 'int64', [-1, 1], [2]),
  tensor('row', 'int64', [1, 1, -1], [3]),
  tensor('at0', 'int64', [0], []),
  tensor('at1', 'int64', [1], []),
  tensor('at2', 'int64', [2], []),
  tensor('zero', 'float', [0], []),
  tensor('unit', 'float', [1], []),
  tensor('half', 'float', [0.5], []),
]

/** Says each token as a tone, one after the other: what a sine is made of. @param speaker a factor of all of them, `pace` of how long they last */
const phases = (tokens: string, { speaker, pace }: { speaker: string; pace: string }, to: string) => ({
  constants: [
    tensor('step', 'float', [STEP_HZ], []),
    tensor('first', 'float', [FIRST_HZ], []),
    tensor('perToken', 'float', [TOKEN_SECONDS * TINY_RATE], []),
    tensor('turn', 'float', [TURN / TINY_RATE], []),
  ],
  nodes: [
    node('Cast', [tokens], 'numbers', 'float'),
    node('Reshape', ['numbers', 'column'], 'tokens'),
    node('Mul', ['tokens', 'step'], 'steps'),
    node('Add', ['steps', 'first'], 'hz1'),
    node('Mul', ['hz1', speaker], 'hz'),
    node('Mul', ['perToken', pace], 'count'),
    node('Range', ['zero', 'count', 'unit'], 'at'),
    node('Mul', ['hz', 'at'], 'waves'),
    node('Mul', ['waves', 'turn'], 'phase'),
    node('Reshape', ['phase', 'row'], to),
  ],
})
const sine = (phase: string, to: string) => [node('Sin', [phase], 'sine'), node('Mul', ['sine', 'half'], to)]

/** Kokoro and Kitten: a style chooses the voice. */
function styled(metadata: Graph['metadata']): Uint8Array {
  const { constants, nodes } = phases('tokens_in', { speaker: 'voice', pace: 'pace' }, 'rows')
  return tiny({
    inputs: [value('tokens_in', 'int64', [1, 'T']), value('style', 'float', [1, 2]), value('speed', 'float', [1])],
    outputs: [value('audio', 'float', ['A', 'B', 'N'])],
    constants,
    nodes: [
      node('Reshape', ['style', 'all'], 'styles'),
      node('Gather', ['styles', 'at0'], 'voice'),
      node('Gather', ['speed', 'at0'], 'quickness'),
      node('Div', ['unit', 'quickness'], 'pace'),
      ...nodes,
      ...sine('rows', 'audio'),
    ],
    metadata: { sample_rate: TINY_RATE, n_speakers: 2, has_espeak: 1, voice: 'en-us', ...metadata },
  })
}

/** Two voices, each the same for any length of a text: one is twice as high as the other. */
const voicesOf = (lengths: number): Uint8Array =>
  bytesOf(Float32Array.from([1, 2].flatMap((voice) => Array.from({ length: lengths }, () => [voice, 0]).flat())))

const kokoro = (metadata: Graph['metadata']): Files => ({
  'model.onnx': styled({ style_dim: '100,1,2', ...metadata }),
  'voices.bin': voicesOf(100),
  'tokens.txt': phonemes(),
})

const matcha = (metadata: Graph['metadata']): Files => ({
  'model-steps-3.onnx': matchaAcoustics(metadata),
  'hifigan_v2.onnx': hifigan(),
  'tokens.txt': phonemes(),
})

function matchaAcoustics(metadata: Graph['metadata']): Uint8Array {
  const { constants, nodes } = phases('x', { speaker: 'unit', pace: 'pace' }, 'mel')
  return tiny({
    inputs: [
      value('x', 'int64', [1, 'T']),
      value('x_length', 'int64', [1]),
      value('noise_scale', 'float', [1]),
      value('length_scale', 'float', [1]),
    ],
    outputs: [value('mel', 'float', ['A', 'B', 'L'])],
    constants,
    nodes: [node('Gather', ['length_scale', 'at0'], 'pace'), ...nodes],
    metadata: { sample_rate: TINY_RATE, n_speakers: 1, use_eos_bos: 0, pad_id: 0, ...metadata },
  })
}

const hifigan = (): Uint8Array =>
  tiny({
    inputs: [value('mel', 'float', ['A', 'B', 'L'])],
    outputs: [value('audio', 'float', ['A', 'B', 'L'])],
    nodes: sine('mel', 'audio'),
    metadata: { model_type: 'hifigan' },
  })

/** A tone as loud as the first number of each frame says. */
const vocos = (): Uint8Array =>
  tiny({
    inputs: [value('mels', 'float', [1, MELS, 'F'])],
    outputs: ['mag', 'x', 'y'].map((name) => value(name, 'float', [1, FFT / 2 + 1, 'F'])),
    constants: [
      tensor(
        'bins',
        'float',
        Array.from({ length: (FFT / 2 + 1) * MELS }, (_, at) => (at === BIN * MELS ? 12.8 : 0)),
        [FFT / 2 + 1, MELS],
      ),
    ],
    nodes: [
      node('MatMul', ['bins', 'mels'], 'mag'),
      node('Mul', ['mag', 'zero'], 'y'),
      node('Add', ['y', 'unit'], 'x'),
    ],
    metadata: { model_type: 'vocos', n_fft: FFT, hop_length: HOP, win_length: FFT },
  })

/** As many frames as the prompt has, and then some for each token. */
const zipvoiceEncoder = (): Uint8Array =>
  tiny({
    inputs: [
      value('tokens', 'int64', [1, 'T']),
      value('prompt_tokens', 'int64', [1, 'P']),
      value('prompt_features_len', 'int64', [1]),
      value('speed', 'float', [1]),
    ],
    outputs: [value('text_condition', 'float', [1, 'F', MELS])],
    constants: [
      tensor('perToken', 'float', [(TOKEN_SECONDS * CLONE_RATE) / HOP], [1]),
      tensor('frame', 'float', [1, 0, 0, 0], [1, 1, MELS]),
      tensor('sizes', 'int64', [1, 0, MELS], [3]),
      tensor('place', 'int64', [0, 1, 0], [3]),
    ],
    nodes: [
      node('Shape', ['tokens'], 'shape'),
      node('Gather', ['shape', 'at1'], 'length'),
      node('Cast', ['length'], 'count', 'float'),
      node('Mul', ['count', 'perToken'], 'slow'),
      node('Div', ['slow', 'speed'], 'new'),
      node('Cast', ['new'], 'frames', 'int64'),
      node('Add', ['frames', 'prompt_features_len'], 'together'),
      node('Mul', ['together', 'place'], 'placed'),
      node('Add', ['placed', 'sizes'], 'target'),
      node('Expand', ['frame', 'target'], 'text_condition'),
    ],
  })

/** Leads from noise to the text's frames, in however many steps. */
const zipvoiceDecoder = (): Uint8Array =>
  tiny({
    inputs: [
      value('t', 'float', [1]),
      ...['x', 'text_condition', 'speech_condition'].map((name) => value(name, 'float', [1, 'F', MELS])),
      value('guidance_scale', 'float', [1]),
    ],
    outputs: [value('v', 'float', [1, 'F', MELS])],
    nodes: [
      node('Sub', ['text_condition', 'x'], 'way'),
      node('Sub', ['unit', 't'], 'left'),
      node('Div', ['way', 'left'], 'v'),
    ],
    metadata: {
      feat_dim: MELS,
      num_mels: MELS,
      sample_rate: CLONE_RATE,
      n_fft: FFT,
      hop_length: HOP,
      window_length: FFT,
    },
  })

/** As high as the number of steps, times that of the voice, and a little of the noise. */
function supertonic(): Files {
  const text = [value('text_ids', 'int64', [1, 'T']), value('style', 'float', [1, 1, 1])]
  const mask = value('text_mask', 'float', [1, 1, 'T'])
  return {
    'duration_predictor.onnx': tiny({
      inputs: [...text, mask],
      outputs: [value('duration', 'float', [1, 1, 1])],
      constants: [tensor('seconds', 'float', [TOKEN_SECONDS], [])],
      nodes: [node('ReduceSum', ['text_mask'], 'tokens'), node('Mul', ['tokens', 'seconds'], 'duration')],
    }),
    'text_encoder.onnx': tiny({
      inputs: [...text, mask],
      outputs: [value('text_emb', 'float', [1, 'T'])],
      nodes: [node('Cast', ['text_ids'], 'text_emb', 'float')],
    }),
    'vector_estimator.onnx': tiny({
      inputs: [
        value('noisy_latent', 'float', [1, 1, 'L']),
        value('text_emb', 'float', [1, 'T']),
        value('style', 'float', [1, 1, 1]),
        value('latent_mask', 'float', [1, 1, 'L']),
        mask,
        value('current_step', 'float', [1]),
        value('total_step', 'float', [1]),
      ],
      outputs: [value('denoised', 'float', [1, 1, 'L'])],
      constants: [tensor('little', 'float', [0.001], [])],
      nodes: [
        node('Mul', ['latent_mask', 'style'], 'voice'),
        node('Mul', ['voice', 'total_step'], 'stepped'),
        node('Mul', ['noisy_latent', 'little'], 'noise'),
        node('Add', ['stepped', 'noise'], 'denoised'),
      ],
    }),
    'vocoder.onnx': tiny({
      inputs: [value('latent', 'float', [1, 1, 'L'])],
      outputs: [value('wav', 'float', [1, 'A', 'N'])],
      constants: [tensor('samples', 'float', [STEP], []), tensor('turn', 'float', [(TURN * STEP_HZ) / TINY_RATE], [])],
      nodes: [
        ...counted('latent', 'at2'),
        node('Reshape', ['latent', 'all'], 'voices'),
        node('Gather', ['voices', 'at0'], 'voice'),
        node('Mul', ['turns', 'voice'], 'phase'),
        node('Reshape', ['phase', 'row'], 'rows'),
        ...sine('rows', 'wav'),
      ],
    }),
    'tts.json': JSON.stringify({
      ae: { sample_rate: TINY_RATE, base_chunk_size: STEP },
      ttl: { chunk_compress_factor: 1, latent_dim: 1 },
    }),
    'unicode_indexer.bin': bytesOf(Int32Array.from({ length: 256 }, (_, code) => code)),
    // The sizes of both kinds of styles, and those of two voices.
    'voice.bin': Buffer.concat([
      bytesOf(BigInt64Array.from([2n, 1n, 1n, 2n, 1n, 1n])),
      bytesOf(Float32Array.from([1, 2, 1, 2])),
    ]),
  }
}

/** A wave for as many steps as something is long. */
const counted = (what: string, axis: string) => [
  node('Shape', [what], 'shape'),
  node('Gather', ['shape', axis], 'length'),
  node('Cast', ['length'], 'steps', 'float'),
  node('Mul', ['steps', 'samples'], 'count'),
  node('Range', ['zero', 'count', 'unit'], 'at'),
  node('Mul', ['at', 'turn'], 'turns'),
]

function pocket(): Files {
  const sized = (numbers: number) => [
    tensor('nothing', 'float', [0], [1, 1, 1]),
    tensor('sizes', 'int64', [1, 0, numbers], [3]),
    tensor('place', 'int64', [0, 1, 0], [3]),
  ]
  const embedding = value('embedding', 'float', [1, 'E', EMBEDDING])
  return {
    // One frame stands for all of a recording.
    'encoder.onnx': tiny({
      inputs: [value('audio', 'float', [1, 1, 'N'])],
      outputs: [embedding],
      constants: [tensor('target', 'int64', [1, 1, EMBEDDING], [3])],
      nodes: [node('ReduceMax', ['audio'], 'peak'), node('Expand', ['peak', 'target'], 'embedding')],
    }),
    'text_conditioner.onnx': tiny({
      inputs: [value('tokens', 'int64', [1, 'T'])],
      outputs: [embedding],
      constants: sized(EMBEDDING),
      nodes: [
        node('Shape', ['tokens'], 'shape'),
        node('Gather', ['shape', 'at1'], 'length'),
        node('Mul', ['length', 'place'], 'placed'),
        node('Add', ['placed', 'sizes'], 'target'),
        node('Expand', ['nothing', 'target'], 'embedding'),
      ],
    }),
    // Its state is how many frames are still to be said: one for each of a text's tokens.
    'lm_main.onnx': tiny({
      inputs: [value('sequence', 'float', [1, 'S', LATENT]), embedding, value('left', 'float', [1])],
      outputs: [
        value('conditioning', 'float', [1, LATENT]),
        value('eos', 'float', [1]),
        value('left_now', 'float', [1]),
      ],
      constants: [tensor('nothing', 'float', new Array<number>(LATENT).fill(0), [1, LATENT])],
      nodes: [
        ...['sequence', 'embedding'].flatMap((name) => [
          node('Shape', [name], `shape of ${name}`),
          node('Gather', [`shape of ${name}`, 'at1'], `length of ${name}`),
          node('Cast', [`length of ${name}`], `frames of ${name}`, 'float'),
        ]),
        node('Add', ['left', 'frames of embedding'], 'more'),
        node('Sub', ['more', 'frames of sequence'], 'left_now'),
        node('Sub', ['zero', 'left_now'], 'eos'),
        node('Add', ['nothing', 'zero'], 'conditioning'),
      ],
    }),
    'lm_flow.onnx': tiny({
      inputs: [
        value('c', 'float', [1, LATENT]),
        value('s', 'float', [1, 1]),
        value('t', 'float', [1, 1]),
        value('x', 'float', [1, LATENT]),
      ],
      outputs: [value('way', 'float', [1, LATENT])],
      constants: [tensor('part', 'float', [0.5], [])],
      nodes: [node('Sub', ['c', 'x'], 'all the way'), node('Mul', ['all the way', 'part'], 'way')],
    }),
    'decoder.onnx': tiny({
      inputs: [value('latent', 'float', [1, 'K', LATENT])],
      outputs: [value('audio', 'float', [1, 1, 'N'])],
      constants: [
        tensor('samples', 'float', [TOKEN_SECONDS * CLONE_RATE], []),
        tensor('turn', 'float', [(TURN * FIRST_HZ) / CLONE_RATE], []),
      ],
      nodes: [
        ...counted('latent', 'at1'),
        node('Reshape', ['latent', 'all'], 'numbers'),
        node('Gather', ['numbers', 'at0'], 'noise'),
        node('Add', ['turns', 'noise'], 'phase'),
        node('Reshape', ['phase', 'row'], 'rows'),
        ...sine('rows', 'audio'),
      ],
    }),
    'vocab.json': JSON.stringify(Object.fromEntries(PIECES.map((piece, id) => [piece, id]))),
    'token_scores.json': JSON.stringify(Object.fromEntries(PIECES.map((piece) => [piece, -1]))),
  }
}

/** SentencePiece's space, and letters. */
const PIECES = ['\u2581', ...'abcdefghijklmnopqrstuvwxyz.,!?']

const bytesOf = ({ buffer }: { readonly buffer: ArrayBufferLike }): Buffer => Buffer.from(buffer as ArrayBuffer)

/** The letters that eSpeak NG writes English with. */
const PHONEMES = [...new Set('_^$ abdefhijklmnoprstuvwxyzæðŋɐɑɒɔəɚɛɜɡɪɹɾʃʊʌʒʔˈˌːθᵻ.,!?')]
const phonemes = (): string => PHONEMES.map((phoneme, id) => `${phoneme} ${id}\n`).join('')

/** As much of eSpeak NG's data as English and German need, out of what the embedded engine reads. */
function espeakData(): Files {
  const require = createRequire(import.meta.url)
  const [list, data] = ['js', 'data'].map((kind) =>
    readFileSync(require.resolve(`@echogarden/espeak-ng-emscripten/espeak-ng.${kind}`)),
  )
  const files = list!.toString().matchAll(/filename:"\/usr\/share\/(espeak-ng-data\/[^"]+)",start:(\d+),end:(\d+)/g)
  return Object.fromEntries(
    [...files].flatMap(([, name = '', start, end]) =>
      /_dict$/.test(name) && !/\/(en|de)_dict$/.test(name) ? [] : [[name, data!.subarray(Number(start), Number(end))]],
    ),
  )
}

/** Tiny models, by the names that their files are published under: of each family one or more. */
export const TINY_FAMILIES: Readonly<Record<string, readonly [family: SherpaFamily, files: () => Files]>> = {
  'VITS by letters': ['vits', () => ({ 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })],
  Piper: [
    'vits',
    () => ({ 'en_US-amy-medium.onnx': tinyVits(PIPER_METADATA), 'tokens.txt': phonemes(), ...espeakData() }),
  ],
  'Matcha for English': ['matcha', () => ({ ...matcha({ has_espeak: 1, voice: 'en-us' }), ...espeakData() })],
  'Matcha for Chinese': [
    'matcha',
    () => ({
      ...matcha({ jieba: 1 }),
      'lexicon.txt': [...'你好世界大家都'].map((one) => `${one} a ${one === '你' ? 'b' : 'e'}\n`).join(''),
    }),
  ],
  'Kokoro for English': ['kokoro', () => ({ ...kokoro({}), ...espeakData() })],
  'Kokoro of many languages': [
    'kokoro',
    () => ({ ...kokoro({ version: 2 }), 'lexicon-us-en.txt': 'hello h ə l o\n', ...espeakData() }),
  ],
  Kitten: [
    'kitten',
    () => ({
      'model.fp16.onnx': styled({ model_type: 'kitten-tts', style_dim: '1,2' }),
      'voices.bin': voicesOf(1),
      'tokens.txt': phonemes(),
      ...espeakData(),
    }),
  ],
  Pocket: ['pocket', pocket],
  ZipVoice: [
    'zipvoice',
    () => ({
      'encoder.onnx': zipvoiceEncoder(),
      'decoder.onnx': zipvoiceDecoder(),
      'vocos_24khz.onnx': vocos(),
      'tokens.txt': phonemes(),
      'lexicon.txt': 'a a\n',
      ...espeakData(),
    }),
  ],
  Supertonic: ['supertonic', supertonic],
}
