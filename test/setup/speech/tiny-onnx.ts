// Writes ONNX models without a library: protobuf by hand, as far as a few small graphs need it.

type Field = readonly [number: number, value: number | string | Uint8Array]

const FLOAT = 1
const INT64 = 7
const IR_VERSION = 8
const OPSET = 13

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 128)
  }
}

/** A protobuf message: numbers as varints, everything else with its length. */
function message(...fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.from([...varint(number << 3), ...varint(value)])
      const bytes = typeof value === 'string' ? Buffer.from(value) : value
      return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes])
    }),
  )
}

/** A constant of the graph. */
export function tensor(
  name: string,
  kind: 'float' | 'int64',
  values: readonly number[],
  dims: readonly number[],
): Uint8Array {
  const raw =
    kind === 'float'
      ? Buffer.from(Float32Array.from(values).buffer)
      : Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer)
  return message(...dims.map((dim): Field => [1, dim]), [2, kind === 'float' ? FLOAT : INT64], [8, name], [9, raw])
}

/** An operation. `to` is the element type of a Cast. */
export function node(op: string, inputs: readonly string[], output: string, to?: 'float' | 'int64'): Uint8Array {
  const cast = to === undefined ? [] : [[5, message([1, 'to'], [3, to === 'float' ? FLOAT : INT64], [20, 2])] as Field]
  return message(...inputs.map((input): Field => [1, input]), [2, output], [4, op], ...cast)
}

/** An input or output. A size that is a word may differ from call to call. */
export function value(name: string, kind: 'float' | 'int64', dims: readonly (number | string)[]): Uint8Array {
  const shape = message(
    ...dims.map((dim): Field => [1, typeof dim === 'number' ? message([1, dim]) : message([2, dim])]),
  )
  return message([1, name], [2, message([1, message([1, kind === 'float' ? FLOAT : INT64], [2, shape])])])
}

export interface Graph {
  readonly nodes: readonly Uint8Array[]
  readonly constants: readonly Uint8Array[]
  readonly inputs: readonly Uint8Array[]
  readonly outputs: readonly Uint8Array[]
  readonly metadata: Readonly<Record<string, string | number>>
}

export function model({ nodes, constants, inputs, outputs, metadata }: Graph): Uint8Array {
  const graph = message(
    ...nodes.map((one): Field => [1, one]),
    [2, 'tiny'],
    ...constants.map((one): Field => [5, one]),
    ...inputs.map((one): Field => [11, one]),
    ...outputs.map((one): Field => [12, one]),
  )
  const notes = Object.entries(metadata).map(([key, text]): Field => [14, message([1, key], [2, String(text)])])
  return message([1, IR_VERSION], [7, graph], [8, message([2, OPSET])], ...notes)
}
