import { spokenForms, wordsOf } from '../table.ts'

/** In a value `#` stands for the number; without it the number comes first. */
export const UNITS = spokenForms(`
  mm | 밀리미터
  cm | 센티미터
  m | 미터
  km | 킬로미터
  nm | 나노미터
  µm,μm | 마이크로미터
  mm² | 제곱밀리미터
  cm² | 제곱센티미터
  m²,m2 | 제곱미터
  km²,km2 | 제곱킬로미터
  cm³ | 세제곱센티미터
  m³,m3 | 세제곱미터
  ha | 헥타르
  mg | 밀리그램
  g | 그램
  kg | 킬로그램
  t | 톤
  µg,μg | 마이크로그램
  lb | 파운드
  oz | 온스
  ml,mL | 밀리리터
  cl | 센티리터
  dl,dL | 데시리터
  l,L | 리터
  cc | 시시
  ms | 밀리초
  s,sec | 초
  min | 분
  h,hr | 시간
  Hz | 헤르츠
  kHz | 킬로헤르츠
  MHz | 메가헤르츠
  GHz | 기가헤르츠
  W | 와트
  kW | 킬로와트
  MW | 메가와트
  GW | 기가와트
  kWh | 킬로와트시
  Wh | 와트시
  V | 볼트
  kV | 킬로볼트
  A | 암페어
  mA | 밀리암페어
  mAh | 밀리암페어시
  Ω | 옴
  kΩ | 킬로옴
  J | 줄
  kJ | 킬로줄
  cal | 칼로리
  kcal | 킬로칼로리
  N | 뉴턴
  Pa | 파스칼
  kPa | 킬로파스칼
  hPa | 헥토파스칼
  MPa | 메가파스칼
  mmHg | 수은주밀리미터
  dB | 데시벨
  lm | 루멘
  lx | 럭스
  mol | 몰
  mmol | 밀리몰
  rpm | 분당회전수
  B | 바이트
  KB,kB | 킬로바이트
  MB | 메가바이트
  GB | 기가바이트
  TB | 테라바이트
  kbps | 킬로비피에스
  Mbps | 메가비피에스
  Gbps | 기가비피에스
  px | 픽셀
  dpi | 디피
  fps | 프레임
  bpm | 비피엠
  F | 층
  mph | 마일 퍼 시간
  in | 인치
  ft | 피트
  mi | 마일
  °C,℃,° | 도
  °F,℉ | 화씨 # 도
  % | 퍼센트
  %p | 퍼센트포인트
  ‰ | 퍼밀
  ppm | 피피엠
`)

export const CURRENCIES = spokenForms(`
  ₩,KRW | #원
  $,US$,USD | 달러
  €,EUR | 유로
  £,GBP | 파운드
  ¥,￥,JPY | 엔
  CNY,RMB | 위안
  HK$,HKD | 홍콩 달러
  NT$,TWD | 대만 달러
  SGD | 싱가포르 달러
  AUD | 호주 달러
  CAD | 캐나다 달러
  NZD | 뉴질랜드 달러
  CHF | 스위스 프랑
  ₽,RUB | 루블
  ₹,INR | 루피
  ₫,VND | 동
  ฿,THB | 바트
  ₺,TRY | 리라
  ₴ | 흐리우냐
  ₱ | 페소
  PHP | 필리핀 페소
  ₪ | 셰켈
  ₿,BTC | 비트코인
  BRL,R$ | 헤알
  MXN | 멕시코 페소
  SEK | 스웨덴 크로나
  NOK | 노르웨이 크로네
  DKK | 덴마크 크로네
  AED | 아랍에미리트 디르함
  SAR | 사우디 리얄
  MYR | 링깃
  IDR | 루피아
  ZAR | 랜드
`)

/** Latin abbreviations. One that ends in a period needs it. */
export const ABBREVIATIONS = spokenForms(`
  Dr | 닥터
  Mr | 미스터
  Mrs | 미세스
  Ms | 미즈
  Prof | 프로페서
  Jr | 주니어
  Ltd | 리미티드
  Inc | 인코퍼레이티드
  Corp | 코퍼레이션
  Co. Ltd | 컴퍼니 리미티드
  vs | 대
  etc | 등
  e.g | 예를 들어
  i.e | 즉
  a.m,A.M | 오전
  p.m,P.M | 오후
  et al | 외
  St. | 세인트
  Sr. | 시니어
  Mt. | 마운트
  Co. | 컴퍼니
  Fig.,Figs. | 그림
  Tab. | 표
  Vol. | 볼륨
  Ver.,ver. | 버전
  Ch. | 챕터
  Sec. | 섹션
  Eq. | 식
  Ref. | 참고
  Jan. | 일월
  Feb. | 이월
  Mar. | 삼월
  Apr. | 사월
  Jun. | 유월
  Jul. | 칠월
  Aug. | 팔월
  Sep.,Sept. | 구월
  Oct. | 시월
  Nov. | 십일월
  Dec. | 십이월
  approx. | 약
  max. | 최대
  min. | 최소
  Tel. | 전화
  Ext.,ext. | 내선
  Gen. | 제너럴
  Capt. | 캡틴
  Rev. | 레버런드
  Sen. | 세너터
  Gov. | 거버너
`)

/** Inside of addresses and file names. */
export const MARKS = spokenForms(`
  . | 닷
  / | 슬래시
  : | 콜론
  - | 대시
  _ | 언더바
  @ | 골뱅이
  ? | 물음표
  = | 이퀄
  & | 앤드
  # | 해시태그
  % | 퍼센트
  + | 플러스
  ~ | 물결
  ! | 느낌표
`)

export const SYMBOLS = spokenForms(`
  # | 해시태그
  & | 앤드
  % | 퍼센트
  ‰ | 퍼밀
  + | 더하기
  − | 빼기
  ± | 플러스마이너스
  ∓ | 마이너스플러스
  × | 곱하기
  ÷ | 나누기
  = | 는
  ≠ | 같지 않음
  ≈ | 약
  ≡,≅ | 합동
  < | 작다
  > | 크다
  ≤ | 작거나 같다
  ≥ | 크거나 같다
  ≪ | 훨씬 작다
  ≫ | 훨씬 크다
  √ | 루트
  ∛ | 세제곱근
  ∞ | 무한대
  ∝ | 비례
  ∑ | 시그마
  ∏ | 파이
  ∫ | 인테그랄
  ∂ | 라운드
  ∆ | 델타
  ∇ | 나블라
  ∀ | 모든
  ∃ | 존재한다
  ∈ | 속한다
  ∉ | 속하지 않는다
  ∅ | 공집합
  ∩ | 교집합
  ∪ | 합집합
  ⊂,⊆ | 부분집합
  ⊃,⊇ | 포함한다
  ∧ | 그리고
  ∨ | 또는
  ¬ | 부정
  ∠ | 각
  ⊥ | 수직
  ∥ | 평행
  ∴ | 그러므로
  ∵ | 왜냐하면
  °,℃ | 도
  ′ | 분
  ″ | 초
  ∙,⋅ | 점
  ^ | 캐럿
  \\ | 백슬래시
  № | 번호
  @ | 골뱅이
  ♯ | 샵
  § | 섹션
  ¶ | 단락
  † | 칼표
  ‡ | 이중칼표
  © | 저작권
  ℉ | 화씨도
  ℓ | 리터
  Ω | 옴
  ㈜,㍿ | 주식회사
  $ | 달러
  € | 유로
  £ | 파운드
  ¥,￥ | 엔
  ¢ | 센트
  ₩ | 원
  ₽ | 루블
  ₹ | 루피
  ₫ | 동
  ฿ | 바트
  ₺ | 리라
  ₴ | 흐리우냐
  ₱ | 페소
  ₪ | 셰켈
  ₿ | 비트코인
  ₦ | 나이라
  ₡ | 콜론
  ₲ | 과라니
  ₵ | 세디
  ₸ | 텡게
  ₮ | 투그릭
  ₭ | 킵
  ₼ | 마나트
  ₾ | 라리
  ¤ | 통화
  →,⇒ | 오른쪽 화살표
  ← | 왼쪽 화살표
  ↑ | 위쪽 화살표
  ↓ | 아래쪽 화살표
  ↔,⇔ | 양쪽 화살표
  ★,☆ | 별표
  ●,○ | 동그라미
  ◎ | 이중 동그라미
  ■,□ | 네모
  ▲,△,▶ | 세모
  ▼,▽ | 역삼각형
  ◆,◇ | 마름모
  ※ | 참고
  ♀ | 여성
  ♂ | 남성
  ♠ | 스페이드
  ♥ | 하트
  ♦ | 다이아몬드
  ♣ | 클로버
  ♪,♫ | 음표
  ♭ | 플랫
  ☎ | 전화
  ✓,✔ | 체크
  ✗,✘ | 엑스
  ½ | 이분의 일
  ⅓ | 삼분의 일
  ⅔ | 삼분의 이
  ¼ | 사분의 일
  ¾ | 사분의 삼
  ⅕ | 오분의 일
  ⅖ | 오분의 이
  ⅗ | 오분의 삼
  ⅘ | 오분의 사
  ⅙ | 육분의 일
  ⅚ | 육분의 오
  ⅛ | 팔분의 일
  ⅜ | 팔분의 삼
  ⅝ | 팔분의 오
  ⅞ | 팔분의 칠
`)

export const LETTERS = spokenForms(`
  a | 에이
  b | 비
  c | 씨
  d | 디
  e | 이
  f | 에프
  g | 지
  h | 에이치
  i | 아이
  j | 제이
  k | 케이
  l | 엘
  m | 엠
  n | 엔
  o | 오
  p | 피
  q | 큐
  r | 알
  s | 에스
  t | 티
  u | 유
  v | 브이
  w | 더블유
  x | 엑스
  y | 와이
  z | 제트
`)

/** Ends of addresses that are not spelled. */
export const LABELS = spokenForms(`
  com | 컴
  net | 넷
  org | 오알지
  app | 앱
  info | 인포
`)

export const DAYS = spokenForms(`
  월 | 월요일
  화 | 화요일
  수 | 수요일
  목 | 목요일
  금 | 금요일
  토 | 토요일
  일 | 일요일
`)

/** Numbers before these are Korean: 세 명. Above the limit of a counter they are Chinese: 이십사 시간. */
export const COUNTERS = spokenForms(`
  번째,살 | 99
  모,캔,줌,톨,티스푼,테이블스푼 | 49
  개,명,마리,권,장,대,잔,병,그루,송이,켤레,채,척,자루,벌,사람,가지,곳,군데,달 | 49
  칸,끼,줄,모금,입,방울,판,쌍,통,건,팀,차례,바퀴,걸음,컵,봉지,스푼,큰술,작은술,숟가락,꼬집 | 49
  조각,알,접시,그릇,포기,골,종류,상자,묶음,다발,뿌리,토막,꼭지,가닥,분께 | 49
  시간 | 23
  배,경기,박스 | 19
  시 | 12
  자리 | 9
`)

/** Words that begin like a counter and are none: 1달러, 3개월, 2대회. */
export const NO_COUNTERS = wordsOf(`
  개월 개국 개년 개소 달러 대학 대회 대한 대통 대표 대비 대책 대응 장관 장군 장애 판매 병원 병동 권리 명령 통계 건물 건설 알파 입니다 입구 입찰 입학
  모델 모드 모듈 모양 모집 모두 모녀 모자 모음 캔버스 캔들 줌인 톨게이트
  시즌 시속 시민 시장 배터 배달 배송 골프 골목 팀장 척추 벌금 줄기 살인 자릿 컵대 컵라
`)

export const GREEK_LETTERS = wordsOf(`
  알파 베타 감마 델타 엡실론 제타 에타 세타 요타 카파 람다 뮤 뉴 크시 오미크론 파이 로 시그마 타우 입실론 피 카이 프시 오메가
`)

/** Numbers of atoms up to five are English. */
export const ATOMS = wordsOf('제로 원 투 쓰리 포 파이브')

/** Names whose number is English. */
export const ENGLISH_NUMBERS = spokenForms(`
  HbA1c | 헤모글로빈 에이원씨
  2D | 투D
  3D | 쓰리D
  3G | 쓰리G
  4G | 포G
  5G | 파이브G
  6G | 식스G
  4K | 포K
  8K | 에잇K
  B2B | B투B
  B2C | B투C
  G7 | G세븐
  F1 | F원
  M1 | M원
  M2 | M투
  MP3 | MP쓰리
  MP4 | MP포
  PS4 | PS포
  PS5 | PS파이브
  CO2 | CO투
  H2O | H투O
  SO2 | SO투
  NO2 | NO투
  CH4 | CH포
`)

/** Letters that stand by themselves in chats. */
export const JAMO = spokenForms(`
  ㅋ | 크
  ㅎ | 흐
  ㅠ | 유
  ㅜ | 우
  ㅇ | 응
  ㄴ | 노
  ㄱ | 고
  ㄷ | 덜
  ㅇㅋ | 오케이
  ㄱㅅ | 감사
  ㅊㅋ | 축하
  ㅅㄱ | 수고
  ㅈㅅ | 죄송
  ㅂㅂ | 바이바이
  ㅇㅈ | 인정
  ㄹㅇ | 리얼
  ㅎㅇ | 하이
`)
