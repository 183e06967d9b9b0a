import { FULL_SCALE, HIGHEST_PEAK, NEAR_PEAK, peakNear } from '../engines/true-peak.ts'

const REACH_MS = 4
const VALUES = 2 * FULL_SCALE

/** Multiplies samples by a factor and turns down peaks above -1 dBTP; returns a new array. Pure. */
export function applyGain(samples: Int16Array, sampleRate: number, gain: number): Int16Array {
  const envelope = duckPeaks(samples, sampleRate, (HIGHEST_PEAK * FULL_SCALE) / gain)
  const louder = multiplied(samples, gain)
  if (envelope === null) return louder
  for (let at = 0; at < samples.length; at++)
    if (envelope[at] !== 1) louder[at] = Math.round(samples[at]! * gain * envelope[at]!)
  return louder
}

function multiplied(samples: Int16Array, gain: number): Int16Array {
  if (samples.length < VALUES) return samples.map((sample) => Math.round(sample * gain))
  const products = new Int16Array(VALUES)
  for (let at = 0; at < VALUES; at++) products[at] = Math.round((at - FULL_SCALE) * gain)
  const louder = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at++) louder[at] = products[samples[at]! + FULL_SCALE]!
  return louder
}

function duckPeaks(samples: Int16Array, sampleRate: number, limit: number): Float32Array | null {
  const window = duckingWindow(Math.round((REACH_MS * sampleRate) / 1000))
  const near = Math.ceil(limit * NEAR_PEAK)
  let envelope: Float32Array | null = null
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at]!
    if (sample < near && sample > -near) continue
    const peak = peakNear(samples, at) * (envelope?.[at] ?? 1)
    if (peak <= limit) continue
    envelope ??= new Float32Array(samples.length).fill(1)
    duck(envelope, at, 1 - limit / peak, window)
  }
  return envelope
}

function duck(envelope: Float32Array, at: number, depth: number, window: readonly number[]): void {
  for (let away = 0; away < window.length; away++) {
    const factor = 1 - depth * window[away]!
    if (at + away < envelope.length) envelope[at + away]! *= factor
    if (away > 0 && at >= away) envelope[at - away]! *= factor
  }
}

const duckingWindow = (length: number): number[] =>
  Array.from({ length }, (_, away) => 0.5 + 0.5 * Math.cos((Math.PI * away) / length))
