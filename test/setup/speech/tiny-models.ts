import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { model, node, tensor, value } from './tiny-onnx.ts'

export const TINY_RATE = 16_000
/** The length of each token at pace 1. */
export const TOKEN_SECONDS = 0.07
/** How far the tone of one token is from that of the next, and where they begin; times the number of the speaker, from 1. */
const STEP_HZ = 40
const FIRST_HZ = 200
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const TOKENS = ['_', '^', '$', ' ', ...LETTERS, ...'.,!?']

export const VITS_METADATA = {
  sample_rate: TINY_RATE,
  n_speakers: 3,
  language: 'English',
  comment: 'coqui',
  frontend: 'characters',
  add_blank: 0,
  blank_id: 0,
  bos_id: 1,
  eos_id: 2,
  use_eos_bos: 0,
}

/** A model that says each letter as a tone of its own. @param scales of which type that input is: the library gives it floats */
export const tinyVits = (
  metadata: Readonly<Record<string, string | number>> = VITS_METADATA,
  scales: 'float' | 'int64' = 'float',
): Uint8Array =>
  model({
    inputs: [
      value('x', 'int64', [1, 'T']),
      value('x_length', 'int64', [1]),
      value('scales', scales, [3]),
      value('sid', 'int64', [1]),
    ],
    outputs: [value('y', 'float', [1, 1, 'N'])],
    constants: [
      tensor('column', 'int64', [-1, 1], [2]),
      tensor('row', 'int64', [1, 1, -1], [3]),
      tensor('one', 'float', [1], [1]),
      tensor('step', 'float', [STEP_HZ], [1]),
      tensor('first', 'float', [FIRST_HZ], [1]),
      tensor('perToken', 'float', [TOKEN_SECONDS * TINY_RATE], []),
      tensor('turn', 'float', [(2 * Math.PI) / TINY_RATE], [1]),
      tensor('half', 'float', [0.5], [1]),
      tensor('pace', 'int64', [1], []),
      tensor('zero', 'float', [0], []),
      tensor('unit', 'float', [1], []),
    ],
    nodes: [
      node('Cast', ['x'], 'xf', 'float'),
      node('Reshape', ['xf', 'column'], 'tokens'),
      node('Mul', ['tokens', 'step'], 'steps'),
      node('Add', ['steps', 'first'], 'hz1'),
      node('Cast', ['sid'], 'sf', 'float'),
      node('Add', ['sf', 'one'], 'speaker'),
      node('Mul', ['hz1', 'speaker'], 'hz'),
      node('Cast', ['scales'], 'scale', 'float'),
      node('Gather', ['scale', 'pace'], 'length'),
      node('Mul', ['length', 'perToken'], 'count'),
      node('Range', ['zero', 'count', 'unit'], 'at'),
      node('Mul', ['hz', 'at'], 'turns'),
      node('Mul', ['turns', 'turn'], 'phase'),
      node('Sin', ['phase'], 'tone'),
      node('Mul', ['tone', 'half'], 'quiet'),
      node('Reshape', ['quiet', 'row'], 'y'),
    ],
    metadata,
  })

export const tinyTokens = (): string => TOKENS.map((token, id) => `${token} ${id}\n`).join('')

/** Writes files of a model; returns the directory. */
export async function writeModel(
  directory: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, content)
  }
  return directory
}
