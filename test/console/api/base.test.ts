import { afterEach, expect, test, vi } from 'vitest'
import { ownMedia } from '../../../src/console/api/base.ts'

const SIGNED = '?type=audio%2Fwav&expires=1790000000&signature=a-b_c'
const IN_CELL = SIGNED.replace('&signature', '&cell=a&signature')

afterEach(() => vi.unstubAllGlobals())

test("sound of the service is asked for where its page was loaded from, and a bucket's where the bucket is", () => {
  vi.stubGlobal('location', new URL('http://192.0.2.7:8080/console/jobs'))
  const bucket = 'https://s3.example.com/media/job_1.wav?X-Amz-Expires=900&X-Amz-Signature=ab'
  expect([
    ownMedia(`http://127.0.0.1:4000/media/live/job_1.mp3${SIGNED}`),
    ownMedia(`https://a.example.com/media/job_1/1/audio.wav${IN_CELL}`),
    ownMedia(bucket),
    ownMedia(`https://other.example.com/files/job_1.wav${SIGNED}`),
  ]).toEqual([
    `http://192.0.2.7:8080/media/live/job_1.mp3${SIGNED}`,
    `http://192.0.2.7:8080/media/job_1/1/audio.wav${IN_CELL}`,
    bucket,
    `https://other.example.com/files/job_1.wav${SIGNED}`,
  ])
})
